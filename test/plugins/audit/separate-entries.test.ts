import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { CORE_MIGRATIONS } from '../../../adapters/sql/core-migrations.ts';
import { Audit } from '../../../plugins/audit/audit-api.ts';
import { auditMigrations } from '../../../plugins/audit/audit-migrations.ts';
import type { FactStore, OwnedMigration, StoredFact } from '../../../ports/ports.ts';
import { createPrincipal } from '../../kit/create-principal.ts';
import { sampleFact, stamp } from '../../kit/fact-samples.ts';
import { forEachStore } from '../../kit/for-each-store.ts';
import { rejection } from '../../kit/rejection.ts';
import { startTestNode } from '../../kit/start-test-node.ts';
import { placeTestStore, type TestStore } from '../../kit/test-store.ts';

const OWN: readonly OwnedMigration[] = auditMigrations.map((migration) => ({ ...migration, owner: 'audit' }));
const OLD = OWN.filter(({ number }) => number < 43);

/** What a log from before holds: a fact, with its row or without, or another entry, by the number of its row. */
type Old = { readonly fact: number; readonly seq?: number } | { readonly act: string; readonly seq: number };

const rowOf = (old: Old, tenantId: string, facts: ReadonlyMap<number, StoredFact>) => {
  const fact = 'fact' in old ? facts.get(old.fact) : undefined;
  return {
    seq: old.seq,
    id: randomUUID(),
    tenant_id: tenantId,
    event_type: fact === undefined ? 'admin_action' : 'fact_write',
    entity_uri: 'agent:w',
    fact_id: fact?.id ?? null,
    feed_wall: fact?.feed.wallMs ?? null,
    feed_ctr: fact?.feed.counter ?? null,
    source: '',
    ts_ms: stamp(0).wallMs,
    detail: 'act' in old ? JSON.stringify({ name: old.act }) : null,
  };
};

forEachStore('audit entries of a store from before', (kind) => {
  let folder: string;
  let place: TestStore;
  let store: FactStore;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'audit-'));
    place = await placeTestStore(kind, folder);
    store = place.open();
    await store.migrate([...CORE_MIGRATIONS, ...OLD]);
  });
  afterEach(async () => {
    await store.close();
    await place.remove();
    await rm(folder, { recursive: true, force: true });
  });

  /**
   * Stores the facts with numbers as a migrated store has them: that of their row, and those that have none behind the
   * entry before them. Facts of tenants begin at different numbers.
   */
  const fill = async (tenantId: string, old: readonly Old[], firstFact: number): Promise<void> => {
    const facts = new Map<number, StoredFact>();
    await store.write(tenantId, async (transaction) => {
      let last = 0;
      for (const entry of old) {
        const number = Math.max(last + 1, entry.seq ?? 0);
        if ('fact' in entry) {
          if (number > last + 1) await transaction.takeNumbers(number - last - 1);
          const hlc = stamp(firstFact + entry.fact);
          const fact = sampleFact(firstFact + entry.fact, { tenantId, hlc, feed: hlc });
          facts.set(entry.fact, fact);
          await transaction.insert([fact]);
        } else {
          await transaction.takeNumbers(number - last);
        }
        last = number;
      }
    });
    const rows = old.filter(({ seq }) => seq !== undefined).map((entry) => rowOf(entry, tenantId, facts));
    for (let at = 0; at < rows.length; at += 50) await store.table('audit_entries').insert(rows.slice(at, at + 50));
  };

  const migrate = (onProgress: (line: string) => void = () => {}) =>
    store.migrate([...CORE_MIGRATIONS, ...OWN], { onProgress });

  /** The log by a node on the store: numbers, and names of acts or places of facts. */
  const logOf = async (tenantId: string, firstFact: number): Promise<[number, string | number][]> => {
    const node = await startTestNode({ plugins: ['audit', 'facts'], folder, store: kind });
    const auditor = createPrincipal({ permissions: new Set(['audit.read']), tenantId });
    const { entries } = await node.kernel.get(Audit).log(auditor, {}, { limit: 1000 });
    await node.stop();
    return entries.map(({ seq, factId, detail }) => [
      seq,
      factId === null ? JSON.parse(String(detail)).name : Number(factId.slice(-12)) - firstFact,
    ]);
  };

  it('keep their numbers, and leave out the facts, which have entries by themselves', async () => {
    await fill(
      'default',
      [
        { act: 'a', seq: 1 },
        { fact: 1, seq: 2 },
        { fact: 2, seq: 3 },
        { act: 'b', seq: 4 },
      ],
      0,
    );
    const lines: string[] = [];
    await migrate((line) => lines.push(line));
    expect(lines.filter((line) => line.includes('043_'))).to.deep.equal([
      'migration 043_audit_without_facts: 4 of 4 audit entries',
    ]);
    expect(
      await store.read((snapshot) => snapshot.table('audit_entries').orderBy('seq').pluck('detail')),
    ).to.deep.equal(['{"name":"a"}', '{"name":"b"}']);
    expect((await store.tables()).filter((name) => name.startsWith('audit_entries'))).to.deep.equal(['audit_entries']);
    expect(await logOf('default', 0)).to.deep.equal([
      [1, 'a'],
      [2, 1],
      [3, 2],
      [4, 'b'],
    ]);
  });

  it('stay in their order among facts without a row, and among those of other tenants', async () => {
    const one: Old[] = [
      { fact: 1 },
      { act: 'a', seq: 3 },
      { fact: 2, seq: 4 },
      { act: 'b', seq: 5 },
      { act: 'c', seq: 9 },
      { fact: 3 },
      { fact: 4 },
      { fact: 5, seq: 10 },
      { act: 'd', seq: 11 },
      { fact: 6 },
    ];
    const two: Old[] = [
      { act: 'x', seq: 1 },
      { act: 'y', seq: 2 },
      { fact: 1, seq: 6 },
      { act: 'z', seq: 7 },
    ];
    await fill('default', one, 100);
    await fill('t2', two, 200);
    await migrate();
    expect(await logOf('default', 100)).to.deep.equal([
      [1, 1],
      [3, 'a'],
      [4, 2],
      [5, 'b'],
      [9, 'c'],
      [10, 3],
      [11, 4],
      [12, 5],
      [13, 'd'],
      [14, 6],
    ]);
    expect(await logOf('t2', 200)).to.deep.equal([
      [1, 'x'],
      [2, 'y'],
      [6, 1],
      [7, 'z'],
    ]);
  });

  it('are moved in steps, and an interrupted start goes on behind the last one', async () => {
    const count = 4_500;
    const old = Array.from(
      { length: count },
      (_, at): Old => (at % 9 === 0 ? { fact: at, seq: at + 1 } : { act: `${at}`, seq: at + 1 }),
    );
    await fill('default', old, 0);
    const failed = migrate(() => {
      throw new Error('the process ends here');
    });
    expect((await rejection(failed)).message).to.equal('the process ends here');
    await store.close();
    store = place.open();
    const lines: string[] = [];
    await migrate((line) => lines.push(line));
    expect(lines.filter((line) => line.includes('043_'))).to.deep.equal([
      'migration 043_audit_without_facts: 4,000 of 4,500 audit entries',
      'migration 043_audit_without_facts: 4,500 of 4,500 audit entries',
    ]);
    const rows: { seq: number; detail: string }[] = await store.read((snapshot) =>
      snapshot.table('audit_entries').orderBy('seq').select('seq', 'detail'),
    );
    const expected = old.flatMap((entry) => ('act' in entry ? [[entry.seq, entry.act]] : []));
    expect(rows.map(({ seq, detail }) => [Number(seq), JSON.parse(detail).name])).to.deep.equal(expected);
  });

  it('are numbered onwards from where they end', async () => {
    await fill(
      'default',
      [
        { fact: 1, seq: 1 },
        { act: 'a', seq: 2 },
      ],
      0,
    );
    await migrate();
    const node = await startTestNode({ plugins: ['audit', 'facts', 'keys'], folder, store: kind });
    await node.addKey();
    await node.stop();
    const seqs = await store.read((snapshot) => snapshot.table('audit_entries').orderBy('seq').pluck('seq'));
    expect(seqs.map(Number)).to.deep.equal([2, 3]);
  });
});
