import { expect } from 'chai';
import type { Row } from '../../ports/ports.ts';
import { createManualClock } from '../fakes/manual-clock.ts';
import { createSeededRandom } from '../fakes/seeded-random.ts';
import { forEachStore } from '../kit/for-each-store.ts';
import { rejection } from '../kit/rejection.ts';
import { startTestNode, type TestNode } from '../kit/start-test-node.ts';
import { prove } from '../plugins/fact-chain/chain-node.ts';
import { loadOldStore, type OldStore, readRecording } from './load-old-store.ts';

/** How many facts of the recorded chain have links. */
const LINKED = 36;

/** What somebody did to the tables of the older store, and the link at which its chain is broken since. */
const CHANGES: readonly {
  readonly what: string;
  readonly link: number;
  readonly table: 'facts' | 'fact_chain_links';
  readonly change: (rows: readonly Row[]) => readonly Row[];
}[] = [
  {
    what: 'the value of a fact was changed',
    link: 5,
    table: 'facts',
    change: (facts) => facts.map((fact, at) => (at === 4 ? { ...fact, value_v: 'changed' } : fact)),
  },
  {
    what: 'the confidence of a fact was changed',
    link: 1,
    table: 'facts',
    change: (facts) => facts.map((fact, at) => (at === 0 ? { ...fact, confidence: 0.25 } : fact)),
  },
  { what: 'a fact was taken out', link: 7, table: 'facts', change: (facts) => facts.toSpliced(6, 1) },
  {
    what: 'the newest facts with links were taken out, and all behind them',
    link: LINKED - 2,
    table: 'facts',
    change: (facts) => facts.slice(0, LINKED - 2),
  },
  { what: 'a link was taken out', link: 10, table: 'fact_chain_links', change: (links) => links.toSpliced(8, 1) },
  {
    what: 'a link was changed',
    link: 3,
    table: 'fact_chain_links',
    change: (links) => links.map((link, at) => (at === 2 ? { ...link, created_ms: 0 } : link)),
  },
];

forEachStore('the chain of an older store', () => {
  let old: OldStore | undefined;
  let node: TestNode | undefined;
  afterEach(async () => {
    await node?.stop();
    await old?.remove();
  });

  const upgrade = async ({ table, change }: Pick<(typeof CHANGES)[number], 'table' | 'change'>) => {
    const recording = await readRecording('plain');
    const tables = { ...recording.tables, [table]: change(recording.tables[table] ?? []) };
    old = await loadOldStore({ ...recording, tables });
    node = await startTestNode({
      folder: old.folder,
      clock: createManualClock(recording.nowMs),
      random: createSeededRandom(2),
    });
    return { node, facts: tables['facts'] ?? [] };
  };

  it('is proved with the facts that had no link, and goes on', async () => {
    const { node, facts } = await upgrade({ table: 'facts', change: (rows) => rows });
    expect(await prove(node)).to.include({ checked_entries: facts.length });
    const body = { entity: 'user:new', relation: 'memory:n', source: 'agent:n', value: { type: 'number', v: 1 } };
    expect((await node.request('POST', '/v1/facts', { key: await node.addKey(), body })).status).to.equal(201);
    expect(await prove(node)).to.include({ checked_entries: facts.length + 1 });
  });

  for (const { what, link, ...change } of CHANGES) {
    it(`stays broken where ${what}`, async () => {
      const { node } = await upgrade(change);
      const error = await rejection(prove(node));
      expect(error).to.include({ status: 409, code: 'fact_chain_mismatch' });
      expect((error as { members?: object }).members).to.include({ chain_seq: link });
    });
  }
});
