import { createHash } from 'node:crypto';
import { expect } from 'chai';
import fc from 'fast-check';
import { CORE_MIGRATIONS } from '../../../adapters/sql/core-migrations.ts';
import { all, equals, type FactStore, type Filter, isIn, type StoredFact } from '../../../ports/ports.ts';
import type { StoreUnderTest } from '../../contract/fact-store-contract.ts';
import { sampleFact, storeFacts } from '../../kit/fact-samples.ts';
import { forEachStore } from '../../kit/for-each-store.ts';
import { RUNS } from '../../kit/property-runs.ts';
import { createSealedStore } from '../../kit/sealed-store.ts';
import { createTemporaryDatabase } from '../postgres/temporary-database.ts';
import { createTemporaryStore } from '../sqlite/temporary-store.ts';
import { arbitraryFilter } from './arbitrary-filters.ts';

const FACTS = 40;
const TENANTS = ['default', 'other'];

const cidOf = (n: number): string => `sha256:${createHash('sha256').update(String(n)).digest('hex')}`;

const values: readonly StoredFact['value'][] = [
  { type: 'string', v: '', interpretAs: 'content' },
  { type: 'text', v: 'x'.repeat(5_000), interpretAs: 'instruction' },
  { type: 'number', v: -0.5, interpretAs: 'content' },
  { type: 'boolean', v: false, interpretAs: 'content' },
  { type: 'null', v: null, interpretAs: 'content' },
  { type: 'ref', v: 'user:Bob', interpretAs: 'content' },
];

/** Facts of two tenants with values of each type. Each tenant has the same content ids. */
const facts = Array.from({ length: FACTS }, (_, n) =>
  sampleFact(n, {
    tenantId: TENANTS[n % 2] as string,
    entityKey: ['a', 'b-😀'][n % 3] ?? 'c',
    scope: n % 4 === 0 ? 'public' : 'local',
    value: values[n % values.length] as StoredFact['value'],
    valueKey: `k:${n % 5}`,
    cid: cidOf(Math.floor(n / 2)),
    derivedFrom: n < 4 ? [] : [cidOf(n - 4), cidOf(n - 3)],
  }),
);

const refersToCids: fc.Arbitrary<Filter> = fc
  .subarray(Array.from({ length: FACTS / 2 }, (_, n) => cidOf(n)))
  .map((cids) => isIn('cid', cids));

/** Filters that a sealed store takes: it finds content ids only as a whole. */
const filters: fc.Arbitrary<Filter> = fc
  .tuple(fc.constantFrom(...TENANTS), arbitraryFilter, refersToCids, fc.boolean())
  .filter(([, filter]) => !JSON.stringify(filter).includes('"kind":"startsWith","field":"cid"'))
  .map(([tenantId, filter, cids, isEither]) =>
    all(equals('tenantId', tenantId), isEither ? { kind: 'any', of: [filter, cids] } : filter),
  );

/** Names values that no content id equals beside a content id. */
const namesNoTexts = all(equals('tenantId', 'default'), {
  kind: 'not',
  of: { kind: 'in', field: 'cid', values: [Number.NaN, true, '\u0000', '\ud800', cidOf(3)] },
});

forEachStore('a sealed store', (engine) => {
  let clear: StoreUnderTest;
  let sealed: StoreUnderTest;

  before(async () => {
    clear = await (engine === 'sqlite' ? createTemporaryStore() : createTemporaryDatabase());
    sealed = await createSealedStore(engine);
    for (const { store } of [clear, sealed]) {
      await store.migrate(CORE_MIGRATIONS);
      await storeFacts(store, facts);
      for (const tenantId of TENANTS) {
        const erased = facts.filter((fact, n) => fact.tenantId === tenantId && n % 7 === 0);
        await store.write(tenantId, (transaction) =>
          transaction.erase(erased.map(({ id }) => ({ id, commitment: new Uint8Array(32).fill(1) }))),
        );
      }
    }
    await sealed.store.scrub();
  });
  after(() => Promise.all([clear.stop(), sealed.stop()]));

  const answersOf = (store: FactStore, filter: Filter) =>
    store.read(async (snapshot) => ({
      found: await snapshot.find({ filter, order: 'feed', limit: FACTS }),
      cached: await snapshot.find({ filter, order: 'hlc', limit: FACTS, mayCache: true }),
      short: await snapshot.find({ filter, order: 'timestamp', limit: FACTS, maxBytes: 6_000 }),
      unread: await snapshot.find({ filter, order: 'feed', limit: FACTS, longValues: { each: 5_000, total: 12_000 } }),
      outlined: (await snapshot.outline(filter)).sort((one, other) => (one.id < other.id ? -1 : 1)),
      counted: await snapshot.count(filter),
      triples: await snapshot.outlineByTriple({ tenantId: 'default', filter, limit: FACTS }),
      ledger: await snapshot.ledger({ tenantId: 'default', filter, order: 'oldest', limit: FACTS }),
      references: await snapshot.references('default', 0, FACTS),
    }));

  it('answers each question as a clear store does', async () => {
    await fc.assert(
      fc.asyncProperty(filters, async (filter) => {
        expect(await answersOf(sealed.store, filter)).to.deep.equal(await answersOf(clear.store, filter));
      }),
      { numRuns: RUNS, examples: [[namesNoTexts]] },
    );
  });
});
