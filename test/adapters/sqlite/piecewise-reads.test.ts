import { expect } from 'chai';
import { CORE_MIGRATIONS } from '../../../adapters/sql/core-migrations.ts';
import {
  above,
  all,
  any,
  equals,
  type FactQuery,
  type Filter,
  isIn,
  isNull,
  type StoredFact,
  type TextQuery,
} from '../../../ports/ports.ts';
import { sampleFact, storeFacts } from '../../kit/fact-samples.ts';
import { createTemporaryStore, SQLITE_LAYOUTS, type TemporaryStore } from './temporary-store.ts';

const FACTS = 6_000;
/** More facts than an index may lead to before all facts are walked. */
const OF_BUSY_ENTITY = 5_000;
/** One statement tests at most 512 facts. */
const TURNS = Math.floor(FACTS / 512);
const ORDER: FactQuery['order'] = 'timestamp';

/** Facts of two entities with few timestamps, as an import writes them. */
const FILLED: readonly StoredFact[] = Array.from({ length: FACTS }, (_, n) =>
  sampleFact(n, {
    entityKey: n < OF_BUSY_ENTITY ? 'user:busy' : 'user:quiet',
    timestampMs: 1_000 + (n % 3),
    confidence: (n % 10) / 10,
    sourceKey: n % 2_000 === 7 ? 'agent:rare' : 'agent:w1',
    scope: n % 4 === 0 ? 'public' : 'local',
  }),
);

const { tenantId } = FILLED[0] as StoredFact;
const ofTenant = (...filters: readonly Filter[]): Filter => all(equals('tenantId', tenantId), ...filters);

interface Case {
  readonly filter: Filter;
  fits(fact: StoredFact): boolean;
}

const CASES: Readonly<Record<string, Case>> = {
  'every fact': { filter: ofTenant(), fits: () => true },
  'no fact': { filter: ofTenant(equals('relationKey', 'memory:none')), fits: () => false },
  'a tenth of the facts': {
    filter: ofTenant(above('confidence', 0.85)),
    fits: ({ confidence }) => confidence > 0.85,
  },
  'a busy entity': {
    filter: ofTenant(equals('entityKey', 'user:busy'), equals('scope', 'public')),
    fits: ({ entityKey, scope }) => entityKey === 'user:busy' && scope === 'public',
  },
  'a quiet entity': {
    filter: ofTenant(equals('entityKey', 'user:quiet')),
    fits: ({ entityKey }) => entityKey === 'user:quiet',
  },
  'a rare source': {
    filter: ofTenant(equals('sourceKey', 'agent:rare'), any(isNull('gardenId'), equals('gardenId', 'g'))),
    fits: ({ sourceKey }) => sourceKey === 'agent:rare',
  },
};

/** Returns the number of times that other work of the thread ran during the work. */
const turnsDuring = async (work: () => Promise<unknown>): Promise<number> => {
  let turns = 0;
  let isOver = false;
  const count = (): void => {
    turns += 1;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  await work();
  isOver = true;
  return turns;
};

for (const writer of SQLITE_LAYOUTS) {
  describe(`a read of many facts in SQLite, writer ${writer}`, () => {
    let temporary: TemporaryStore;

    before(async () => {
      temporary = await createTemporaryStore({ writer });
      await temporary.store.migrate(CORE_MIGRATIONS);
      await storeFacts(temporary.store, [...FILLED]);
    });
    after(() => temporary.stop());

    const countOf = (filter: Filter): Promise<number> => temporary.store.read((snapshot) => snapshot.count(filter));
    const pageOf = (query: Pick<FactQuery, 'filter' | 'limit' | 'after' | 'mayCache'>): Promise<StoredFact[]> =>
      temporary.store.read((snapshot) => snapshot.find({ ...query, order: ORDER }));

    for (const [name, { filter, fits }] of Object.entries(CASES)) {
      const expected = FILLED.filter(fits).sort(
        (one, other) => other.timestampMs - one.timestampMs || (one.id < other.id ? 1 : -1),
      );

      it(`counts ${name} that fits`, async () => {
        expect(await countOf(filter)).to.equal(expected.length);
      });

      for (const mayCache of [false, true]) {
        it(`returns ${name} in pages by timestamp${mayCache ? ', with cached facts' : ''}`, async () => {
          const ids: string[] = [];
          let page = await pageOf({ filter, limit: 700, mayCache });
          while (page.length > 0) {
            ids.push(...page.map(({ id }) => id));
            const last = page.at(-1) as StoredFact;
            page = await pageOf({
              filter,
              limit: 700,
              mayCache,
              after: { timestampMs: last.timestampMs, id: last.id },
            });
          }
          expect(ids).to.deep.equal(expected.map(({ id }) => id));
        });
      }
    }

    it('lets other work run after each few hundred facts that it counts', async () => {
      for (const name of ['every fact', 'no fact', 'a busy entity']) {
        const { filter } = CASES[name] as Case;
        expect(await turnsDuring(() => countOf(filter)), name).to.be.at.least(TURNS);
      }
    });

    it('lets other work run after each few hundred facts whose names it reads', async () => {
      const namesOf = (field: TextQuery['field'], prefix: string, limit = 10): Promise<string[]> =>
        temporary.store.read((snapshot) => snapshot.texts({ tenantId, field, prefix, filter: ofTenant(), limit }));
      for (const [field, prefix, names] of [
        ['entityKey', 'user:', ['user:busy', 'user:quiet']],
        ['sourceKey', 'agent:', ['agent:rare', 'agent:w1']],
        ['relationKey', 'none:', []],
      ] as const) {
        const turns = await turnsDuring(async () => {
          expect((await namesOf(field, prefix)).sort()).to.deep.equal(names);
        });
        expect(turns, field).to.be.at.least(TURNS);
      }
      expect(await namesOf('entityKey', 'user:', 1)).to.have.length(1);
      expect(await namesOf('entityKey', 'user:q')).to.deep.equal(['user:quiet']);
    });

    it('lets other work run while it looks for facts that are not there', async () => {
      const { filter } = CASES['no fact'] as Case;
      expect(await turnsDuring(() => pageOf({ filter, limit: 50 }))).to.be.at.least(TURNS);
    });

    it('lets other work run after each few hundred outlines that it reads by id', async () => {
      const ids = [...FILLED, ...FILLED].map(({ id }) => id);
      const { filter, fits } = CASES['a tenth of the facts'] as Case;
      const read = (): Promise<string[]> =>
        temporary.store.read(async (snapshot) =>
          (await snapshot.outline(all(isIn('id', ids), filter))).map(({ id }) => id),
        );
      expect((await read()).sort()).to.deep.equal(
        FILLED.filter(fits)
          .map(({ id }) => id)
          .sort(),
      );
      expect(await turnsDuring(read)).to.be.at.least(TURNS);
    });
  });
}
