import { expect } from 'chai';
import { CORE_MIGRATIONS } from '../../../../adapters/sql/core-migrations.ts';
import { FactStatements } from '../../../../adapters/sql/fact-statements.ts';
import { sqliteDialect } from '../../../../adapters/sqlite/sqlite-dialect.ts';
import { loadSqliteDriver } from '../../../../adapters/sqlite/sqlite-driver.ts';
import type { PluginSnapshot, SuppressedFacts } from '../../../../kernel/plugin-api.ts';
import { IndexSuppression } from '../../../../plugins/search/feed/follow-suppression.ts';
import type { Judgement } from '../../../../plugins/search/host/index-host.ts';
import type { FactQuery, Snapshot } from '../../../../ports/ports.ts';
import { createTemporaryStore, type TemporaryStore } from '../../../adapters/sqlite/temporary-store.ts';
import { sampleFact, sampleId, storeFacts } from '../../../kit/fact-samples.ts';

const COUNT = 600;
const LONG = 'long '.repeat(60_000);

describe('the walk over all facts about a hidden entity', () => {
  let temporary: TemporaryStore;
  let queries: FactQuery[];
  let judged: Judgement[];
  before(async () => {
    temporary = await createTemporaryStore();
    await temporary.store.migrate(CORE_MIGRATIONS);
    const facts = Array.from({ length: COUNT }, (_, n) =>
      sampleFact(n + 1, {
        entity: 'user:gone',
        entityKey: 'user:gone',
        relationKey: `memory:${n % 7}`,
        ...(n % 100 === 0 && { value: { type: 'text', v: LONG, interpretAs: 'content' } }),
      }),
    );
    await storeFacts(temporary.store, [...facts, sampleFact(COUNT + 1, { entityKey: 'user:other' })]);
    await walk();
  });
  after(() => temporary.stop());

  const walk = async (): Promise<void> => {
    queries = [];
    judged = [];
    const hidden = [{ tenantId: 'default', entityKey: 'user:gone' }];
    const suppression = new IndexSuppression({
      store: { read: (work) => temporary.store.read((snapshot) => work(recorded(snapshot))) },
      suppressed: {
        among: async (_, facts) => facts,
        entitiesAfter: async (_, after) => (after.entityKey === '' ? hidden : []),
      } as Pick<SuppressedFacts, 'among' | 'entitiesAfter'> as SuppressedFacts,
      index: {
        size: { facts: COUNT } as never,
        judge: async (some) => {
          judged.push(...some);
          return true;
        },
      },
    });
    await suppression.begin();
  };

  const recorded = (snapshot: Snapshot): PluginSnapshot =>
    new Proxy(snapshot, {
      get(target, name) {
        const member: unknown = Reflect.get(target, name);
        if (typeof member !== 'function') return member;
        if (name !== 'find') return member.bind(target);
        return (query: FactQuery) => {
          queries.push(query);
          return target.find(query);
        };
      },
    }) as unknown as PluginSnapshot;

  it('judges each of them once, long ones included', () => {
    expect(judged.map(({ fact }) => fact.id).sort()).to.deep.equal(
      Array.from({ length: COUNT }, (_, n) => sampleId(n + 1)).sort(),
    );
  });

  it('reads no fact of the entity again for a later page (I21)', () => {
    const statements = new FactStatements(sqliteDialect);
    const database = loadSqliteDriver().open(temporary.path);
    try {
      for (const query of queries) {
        const plan = database.prepare(`EXPLAIN QUERY PLAN ${statements.find(query).sql}`).all() as { detail: string }[];
        expect(plan.map(({ detail }) => detail).join()).to.match(/facts_by_id/);
      }
    } finally {
      database.close();
    }
    expect(queries).to.have.lengthOf.within(3, 12);
  });
});
