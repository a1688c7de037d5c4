import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import fc from 'fast-check';
import { defineOwnPlugin } from '../../../kernel/internal-api.ts';
import type { FactDraft, Principal } from '../../../kernel/plugin-api.ts';
import {
  ADMIN_ACTION,
  Audit,
  type AuditEntry,
  type AuditFilter,
  AuditLog,
  defineAuditEvent,
  type RecordedEntry,
} from '../../../plugins/audit/audit-api.ts';
import { FACT_WRITE } from '../../../plugins/audit/audit-words.ts';
import { FactStore } from '../../../ports/ports.ts';
import { createSeededRandom } from '../../fakes/seeded-random.ts';
import { createPrincipal } from '../../kit/create-principal.ts';
import { forEachStore } from '../../kit/for-each-store.ts';
import { RUNS } from '../../kit/property-runs.ts';
import { startTestNode, type TestNode } from '../../kit/start-test-node.ts';

const WORK = defineAuditEvent('work_done', { summary: 'work was done' });
const worker = defineOwnPlugin({
  name: 'acme-worker',
  declares: [WORK],
  setup: () => {},
});

const WRITERS = ['agent:a', 'agent:b'] as const;
const SOURCES = ['agent:src', 'Agent:Src', 'agent:other'] as const;
const SUBJECTS = [null, 'person-1'] as const;
const AUDITOR = createPrincipal({ entityUri: 'agent:auditor', permissions: new Set(['audit.read']) });
const STEPS = 90;

/** Interleaves facts and audit entries at equal instants. Returns the expected log: fact ids and entry names. */
const fillLog = async (node: TestNode): Promise<string[]> => {
  const random = createSeededRandom(11);
  const oneOf = <T>(items: readonly T[]): T => items[Math.floor(random.fraction() * items.length)] as T;
  const audit = node.kernel.get(AuditLog);
  const store = node.kernel.get(FactStore);
  const done: string[] = [];
  const draft = (name: string): FactDraft => ({
    entity: `user:${name}`,
    relation: 'memory:n',
    value: { type: 'string', v: name, interpretAs: 'content' },
    source: oneOf(SOURCES),
    confidence: 1,
    scope: 'local',
    ...(random.fraction() < 0.3 && { attested: true, attestedKeyId: 'key-1' }),
  });
  const entry = (name: string): AuditEntry => ({
    event: oneOf([WORK, ADMIN_ACTION]),
    tenantId: 'default',
    entityUri: oneOf(WRITERS),
    oidcSub: oneOf(SUBJECTS),
    source: oneOf(SOURCES),
    attestedKeyId: oneOf([null, 'key-1']),
    factId: oneOf([null, ...done.filter((each) => !each.startsWith('act'))]),
    detail: { name },
  });
  const acts: Record<string, (name: string) => Promise<void>> = {
    async facts(name) {
      const caller = createPrincipal({ entityUri: oneOf(WRITERS), oidcSub: oneOf(SUBJECTS) });
      const drafts = Array.from({ length: 1 + Math.floor(random.fraction() * 3) }, (_, at) => draft(`${name}-${at}`));
      for (const verdict of await node.facts.appendAll(drafts, caller)) {
        if (verdict.kind === 'stored') done.push(verdict.view.fact.id);
      }
    },
    async entries(name) {
      await audit.record([entry(`act ${name} 1`), entry(`act ${name} 2`)]);
      done.push(`act ${name} 1`, `act ${name} 2`);
    },
    async both(name) {
      const { view } = await node.facts.append(draft(name), createPrincipal({ entityUri: oneOf(WRITERS) }), {
        beforeCommit: (transaction) => audit.record(entry(`act ${name}`), transaction),
      });
      done.push(view.fact.id, `act ${name}`);
    },
    /** Inserts an audit row in the format of an older version. */
    async oldRow(name) {
      await store.write('default', async (transaction) => {
        const seq = await transaction.takeNumbers(1);
        const row = { tenant_id: 'default', seq, id: randomUUID(), event_type: WORK.id, entity_uri: oneOf(WRITERS) };
        const detail = JSON.stringify({ name: `act ${name}` });
        const link = { chain_seq: 0, link_hash: '' };
        const rest = { source: '', ts_ms: node.clock.nowMs(), detail, ...link };
        await transaction.insertRows('audit_entries', [{ ...row, ...rest }]);
      });
      done.push(`act ${name}`);
    },
  };
  for (let step = 0; step < STEPS; step += 1) {
    await oneOf(Object.values(acts))(`${step}`);
    if (random.fraction() < 0.3) await node.clock.advance(1);
    if (step !== STEPS / 2) continue;
    // The clock goes back here, so later facts get earlier times than these entries but later positions in the log.
    await node.clock.advance(20);
    await acts['entries']?.('before the step back');
    node.clock.setNowMs(node.clock.nowMs() - 6);
  }
  return done;
};

const nameOf = ({ event, factId, detail }: RecordedEntry): string =>
  event === FACT_WRITE.id ? String(factId) : JSON.parse(String(detail)).name;

const matches = (entry: RecordedEntry, filter: AuditFilter): boolean =>
  (filter.entityUri ?? entry.entityUri) === entry.entityUri &&
  (filter.source ?? entry.source) === entry.source &&
  (filter.factId ?? entry.factId) === entry.factId &&
  (filter.oidcSub ?? entry.oidcSub) === entry.oidcSub &&
  (filter.event ?? entry.event) === entry.event &&
  (filter.attested ?? entry.attestedKeyId !== null) === (entry.attestedKeyId !== null) &&
  (filter.sinceMs ?? entry.tsMs) <= entry.tsMs &&
  (filter.untilMs ?? entry.tsMs) >= entry.tsMs;

const newestFirst = (a: RecordedEntry, b: RecordedEntry): number =>
  b.tsMs - a.tsMs || Number(a.id < b.id) - Number(a.id > b.id);

forEachStore('audit entries of facts, interleaved with other entries', () => {
  let node: TestNode;
  let audit: Audit;
  let done: readonly string[];
  let all: readonly RecordedEntry[];
  before(async () => {
    node = await startTestNode({ plugins: ['audit', 'facts', worker] });
    audit = node.kernel.get(Audit);
    done = await fillLog(node);
    all = (await audit.log(AUDITOR, {}, { limit: 1000 })).entries;
  });
  after(() => node.stop());

  it('appear in the log once, in commit order', () => {
    expect(all.map(nameOf)).to.deep.equal(done);
    const seqs = all.map(({ seq }) => seq);
    expect(seqs).to.deep.equal([...new Set(seqs)].sort((a, b) => a - b));
  });

  it('are derived from facts, without audit rows', async () => {
    const rows = await node.kernel.get(FactStore).read((snapshot) => snapshot.table('audit_entries'));
    expect(rows).to.have.length(done.filter((name) => name.startsWith('act')).length);
  });

  const optional = <T>(...values: readonly T[]): fc.Arbitrary<T | undefined> =>
    fc.option(fc.constantFrom(...values), { nil: undefined, freq: 1 });
  const question = fc.record({
    entityUri: optional(...WRITERS, 'agent:nobody'),
    source: optional(...SOURCES),
    oidcSub: optional('person-1'),
    attested: optional(true, false),
    event: optional(FACT_WRITE.id, WORK.id, 'unheard_of'),
    // Positions are indexes into the log, because no log exists when the values are drawn.
    factAt: fc.option(fc.nat(), { nil: undefined, freq: 1 }),
    sinceAt: fc.option(fc.nat(), { nil: undefined, freq: 2 }),
    untilAt: fc.option(fc.nat(), { nil: undefined, freq: 2 }),
  });
  type Question = typeof question extends fc.Arbitrary<infer T> ? T : never;
  const filterOf = ({ factAt, sinceAt, untilAt, ...rest }: Question): AuditFilter => {
    const at = (place: number | undefined) => (place === undefined ? undefined : all[place % all.length]);
    const filter = { ...rest, factId: at(factAt)?.factId ?? undefined };
    return { ...filter, sinceMs: at(sinceAt)?.tsMs, untilMs: at(untilAt)?.tsMs };
  };
  const page = fc.record({ place: fc.nat(), limit: fc.integer({ min: 1, max: 30 }) });

  it('are paged through the log from any number, under any filter', async () => {
    await fc.assert(
      fc.asyncProperty(question, page, async (asked, { place, limit }) => {
        const filter = filterOf(asked);
        const expected = all.filter((entry) => matches(entry, filter));
        const afterSeq = all[place % all.length]?.seq ?? 0;
        const found = await audit.log(AUDITOR, filter, { afterSeq, limit });
        const rest = expected.filter(({ seq }) => seq > afterSeq);
        expect(found.entries).to.deep.equal(rest.slice(0, limit));
        expect([found.total, found.more]).to.deep.equal([expected.length, rest.length > limit]);
      }),
      { numRuns: RUNS },
    );
  });

  it('are paged newest first from any entry, under any filter and for any caller', async () => {
    const callers: readonly Principal[] = [AUDITOR, ...WRITERS.map((entityUri) => createPrincipal({ entityUri }))];
    await fc.assert(
      fc.asyncProperty(question, page, fc.constantFrom(...callers), async (asked, { place, limit }, caller) => {
        const filter = filterOf(asked);
        const own = caller === AUDITOR ? all : all.filter(({ entityUri }) => entityUri === caller.entityUri);
        const expected = own.filter((entry) => matches(entry, filter)).sort(newestFirst);
        // The extra position stands for the first page.
        const after = [...all].sort(newestFirst)[place % (all.length + 1)];
        const rest = after === undefined ? expected : expected.filter((entry) => newestFirst(after, entry) < 0);
        const found = await audit.entries(caller, filter, { after, limit });
        expect(found.entries.map(({ entry }) => entry)).to.deep.equal(rest.slice(0, limit));
        expect([found.total, found.more]).to.deep.equal([expected.length, rest.length > limit]);
      }),
      { numRuns: RUNS },
    );
  });

  it('are exported newest first', async () => {
    const exported: RecordedEntry[] = [];
    for await (const entries of audit.export(AUDITOR, {})) exported.push(...entries.map(({ entry }) => entry));
    expect(exported).to.deep.equal([...all].sort(newestFirst));
  });

  it('of one fact include all entries that name it, oldest first', async () => {
    for (const { factId } of all) {
      if (factId === null) continue;
      const { entries } = await audit.ofFact(AUDITOR, factId);
      expect(entries.map(({ entry }) => entry)).to.deep.equal(all.filter((entry) => entry.factId === factId));
    }
  });
});
