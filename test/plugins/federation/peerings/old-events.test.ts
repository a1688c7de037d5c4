import { expect } from 'chai';
import { openOrKeepStored } from '../../../../kernel/store/content-border.ts';
import { FactStore, type Row } from '../../../../ports/ports.ts';
import { comesTrue } from '../../../kit/comes-true.ts';
import { memoryKeySource, openContentSeal } from '../../../kit/content-seal.ts';
import { forEachStore } from '../../../kit/for-each-store.ts';
import { contentKeysIn, OPERATOR_KEY } from '../../../kit/start-test-node.ts';
import {
  connect,
  eventsOf,
  listed,
  PEERS,
  type PeerNode,
  type PeerPlace,
  peerPlace,
  startPeer,
} from './peering-nodes.ts';

const DAY_MS = 86_400_000;
const TABLE = 'federation_events';

forEachStore('events of peers', () => {
  let place: PeerPlace;
  let near: PeerNode;
  let far: PeerNode;
  beforeEach(async () => {
    place = peerPlace();
    near = await startPeer('near', place, { isSealed: true });
    far = await startPeer('far', place);
  });
  afterEach(async () => {
    await near.node.stop();
    await far.node.stop();
  });

  const rows = (): Promise<Row[]> =>
    near.node.kernel.get(FactStore).read((snapshot) => snapshot.table(TABLE).orderBy('ts_ms'));
  const turns = async (count: number): Promise<void> => {
    const store = near.node.kernel.get(FactStore);
    for (let turn = 0; turn < count; turn += 1) await store.endPeriods?.({ tables: [TABLE], everyMs: 0 });
  };

  it('are deleted after 90 days, and a thief of a copy reads them no longer than two more periods', async () => {
    await connect(near, far);
    // It would go on asking with tokens, each of which is refused with an event.
    await far.node.stop();
    const old = await rows();
    expect(old).to.have.length.above(0);
    place.clock.setNowMs(place.clock.nowMs() + 60 * DAY_MS);
    await turns(3);
    const [peer] = await listed(near);
    await near.node.request('DELETE', `${PEERS}/${peer?.['peer_id']}`, { key: near.operator });
    expect((await eventsOf(near)).map(({ event_type: type }) => type)).to.deep.equal(['peer_revoked', 'peer_approved']);
    place.clock.setNowMs(place.clock.nowMs() + 31 * DAY_MS);
    await comesTrue(async () => {
      await place.clock.advance(600_000);
      return (await rows()).length === 1;
    });
    /** Returns what a thief of the old events reads with the present file of keys. */
    const opened = async (): Promise<string[]> => {
      const path = contentKeysIn(near.node.folder);
      const seal = await openContentSeal({ path, source: memoryKeySource(OPERATOR_KEY) });
      const place = { tenantId: 'default', table: TABLE, column: 'detail', row: '' };
      return old.flatMap((row) => {
        const text = String(row['detail']);
        const clear = openOrKeepStored(text, () => seal.openText(place, text));
        return clear === text ? [] : [clear];
      });
    };
    expect(await opened()).to.have.length(old.length);
    await turns(2);
    expect(await opened()).to.deep.equal([]);
    expect((await rows()).map(({ event_type: type }) => type)).to.deep.equal(['peer_revoked']);
  });
});
