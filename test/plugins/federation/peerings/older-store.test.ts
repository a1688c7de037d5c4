import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { PLUGIN_CATALOG } from '../../../../config/plugin-catalog.ts';
import { forEachStore } from '../../../kit/for-each-store.ts';
import { startTestNode } from '../../../kit/start-test-node.ts';
import { placeTestStore } from '../../../kit/test-store.ts';
import { connect, listed, type PeerNode, peerPlace, startPeer } from './peering-nodes.ts';

forEachStore('a store created before federation existed', (kind) => {
  let folder: string;
  const nodes: PeerNode[] = [];
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'before-federation-'));
  });
  afterEach(async () => {
    for (const { node } of nodes.splice(0)) await node.stop();
    await (await placeTestStore(kind, folder)).remove();
    await rm(folder, { recursive: true, force: true });
  });

  it('gets the federation tables although later migrations were applied, and keeps its facts', async () => {
    const place = peerPlace();
    const plugins = Object.keys(PLUGIN_CATALOG).filter((name) => name !== 'federation');
    const id = 'svc://alpha.example';
    const before = await startTestNode({ plugins, folder, network: place.network, clock: place.clock, node: { id } });
    const key = await before.addKey();
    const fact = { entity: 'user:a', relation: 'memory:role', value: { type: 'string', v: 'x' }, source: 'agent:a' };
    const { body } = await before.request('POST', '/v1/facts', { key, body: fact });
    expect((await before.request('GET', '/v1/federation/peers', { key })).status).to.equal(404);
    await before.stop();
    place.nextSeed();

    nodes.push(await startPeer('alpha', place, { folder }), await startPeer('beta', place));
    const [a, b] = nodes as [PeerNode, PeerNode];
    expect(await listed(a)).to.deep.equal([]);
    await connect(a, b);
    expect((await listed(a)).map(({ status }) => status)).to.deep.equal(['active']);
    expect((await a.node.request('GET', `/v1/facts/${body.id}`, { key })).status).to.equal(200);
  });
});
