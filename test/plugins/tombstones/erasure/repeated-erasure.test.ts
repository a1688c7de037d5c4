import { expect } from 'chai';
import { NodeSelf, nodePrincipal, openJson } from '../../../../kernel/plugin-api.ts';
import type { ErasureReceipt } from '../../../../plugins/tombstones/erasure/erasure-receipt.ts';
import { SEALED } from '../../../../plugins/tombstones/erasure/erasure-row.ts';
import { FactStore, type Row } from '../../../../ports/ports.ts';
import { createSeededRandom } from '../../../fakes/seeded-random.ts';
import { comesTrue } from '../../../kit/comes-true.ts';
import { forEachStore } from '../../../kit/for-each-store.ts';
import { ErasureNode, VICTIM } from './erasure-node.ts';
import { findTraces } from './find-traces.ts';

const receiptOf = (row: Row) => openJson<ErasureReceipt>(SEALED, row, 'receipt');

const CANARY = 'zebrafish-quartz-7f3a';

forEachStore('an erasure that was repeated for facts that came after the first one', (kind) => {
  let at: ErasureNode;
  beforeEach(async () => {
    at = await ErasureNode.start(kind);
  });
  afterEach(() => at.remove());

  const store = () => at.node.kernel.get(FactStore);
  const traces = () => findTraces(store(), undefined, [CANARY]);
  /** Erases twice, a minute apart. Returns the rows that a backup between both has. */
  const eraseTwice = async (): Promise<{ readonly id: string; readonly erasure: Row; readonly marker: Row }> => {
    await at.say('first');
    const id = await at.tombstone();
    await at.erase(id);
    const [erasure] = await store().table('tombstones_erasures').select('*');
    const [marker] = await store().table('tombstones_markers').select('*');
    await at.node.clock.advance(60_000);
    await at.say(CANARY);
    await at.erase(id);
    return { id, erasure, marker };
  };

  it('is done again in a store restored from a backup that was made between both', async () => {
    const { erasure, marker } = await eraseTwice();
    await store().table('tombstones_erasures').update(erasure);
    await store().table('tombstones_markers').update(marker);
    await at.say(`${CANARY} from the backup`);
    await at.end();
    await at.start();
    const isDone = () =>
      comesTrue(async () => {
        await at.node.clock.advance(1_000);
        return (await store().table('tombstones_erasures').where({ state: 'done' })).length === 1;
      });
    await isDone();
    expect(await traces()).to.deep.equal([]);
    const receipt = async () => (await store().table('tombstones_erasures').select('receipt'))[0];
    const last = await receipt();
    await at.end();
    await at.start({ random: createSeededRandom(3) });
    await isDone();
    expect(await receipt(), 'the next start repeats nothing').to.deep.equal(last);
  });

  it('has a third receipt in a store restored from a backup that was made as the first erasure ended', async () => {
    const { erasure, marker } = await eraseTwice();
    await store()
      .table('tombstones_erasures')
      .update({ ...erasure, state: 'scrubbing', touched_ms: 0 });
    await store().table('tombstones_markers').update(marker);
    const { clock } = at.node;
    await at.end();
    await at.start({ clock });
    await comesTrue(async () => {
      await clock.advance(1_000);
      return (await store().table('tombstones_erasures').where({ state: 'done' })).length === 1;
    });
    const [after] = await store().table('tombstones_erasures').select('*');
    expect(receiptOf(after).id).to.not.equal(receiptOf(erasure).id);
  });

  it('destroys what peers bring again of the time between both', async () => {
    await eraseTwice();
    const { names } = at.node.kernel.get(NodeSelf);
    const value = { type: 'text', v: CANARY, interpretAs: 'content' } as const;
    const fact = { id: 'between', entity: VICTIM, relation: 'memory:note', value, source: 'agent:s', scope: 'public' };
    const hlcText = `${at.node.clock.nowMs() - 1_000}.0`;
    const peer = { receivedFrom: 'svc:node:peer', originNodeId: 'svc:node:peer', hlcText };
    const draft = { ...fact, scope: 'public' as const, ...peer, confidence: 1, timestamp: '2026-01-01T00:00:00Z' };
    await at.node.facts.append(draft, nodePrincipal(names), { origin: 'peer' });
    expect(await traces()).to.deep.equal([]);
  });
});
