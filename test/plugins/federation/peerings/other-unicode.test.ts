import { expect } from 'chai';
import { defineOwnPlugin } from '../../../../kernel/internal-api.ts';
import { nodeMetadata } from '../../../../kernel/plugin-api.ts';
import { forEachStore } from '../../../kit/for-each-store.ts';
import { connect, listed, minutesUntil, type PeerNode, peerPlace, startPeer } from './peering-nodes.ts';

const OLDER = defineOwnPlugin({
  name: 'older-names',
  summary: 'Compares names by an older version of Unicode',
  async setup({ on }) {
    on(nodeMetadata, () => ({ unicode_version: '15.1' }));
  },
});

/** Few plugins, because the background work of all plugins in the simulated hours would take most of the time. */
const PLUGINS = ['audit', 'capability-tokens', 'conflicts', 'facts', 'federation', 'keys', 'node-info'];

forEachStore('a peer that folds names with another Unicode version', () => {
  const nodes: PeerNode[] = [];
  afterEach(async () => {
    for (const { node } of nodes.splice(0)) await node.stop();
  });

  it('stays active, is listed with that version, and is named in the log', async () => {
    const place = peerPlace();
    const a = await startPeer('alpha', place, { plugins: PLUGINS });
    const b = await startPeer('beta', place, { plugins: [...PLUGINS, OLDER] });
    nodes.push(a, b);
    await connect(a, b);
    expect((await listed(a))[0]).to.include({ status: 'active', unicode_version: '15.1' });
    expect((await listed(b))[0]).to.include({ status: 'active', unicode_version: '17.0' });
    await place.clock.advance(3_600_000);
    const warned = () => a.node.logLines.some(({ message }) => message.includes('another version of Unicode'));
    await minutesUntil(place, async () => warned());
    expect((await listed(a))[0]?.['status']).to.equal('active');
  });
});
