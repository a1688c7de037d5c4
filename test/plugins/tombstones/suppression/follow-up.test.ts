import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { expect } from 'chai';
import { FactStatements } from '../../../../adapters/sql/fact-statements.ts';
import { sqliteDialect } from '../../../../adapters/sqlite/sqlite-dialect.ts';
import { loadSqliteDriver } from '../../../../adapters/sqlite/sqlite-driver.ts';
import { FACT_RETURNED, ServiceError, SuppressedFacts } from '../../../../kernel/plugin-api.ts';
import { narrowSnapshot } from '../../../../kernel/store/narrow-transaction.ts';
import { all, equals, FactStore, type LedgerQuery } from '../../../../ports/ports.ts';
import { replaceMember } from '../../../fakes/watched-selects.ts';
import { comesTrue } from '../../../kit/comes-true.ts';
import { forEachStore } from '../../../kit/for-each-store.ts';
import { startTestNode, type TestNode } from '../../../kit/start-test-node.ts';

/** More than two batches. */
const COUNT = 1_100;
const SCOPES = ['company', 'public'] as const;

/** Lets the next transactions of a store through, and refuses those behind them. */
const refusing = () => {
  let left = Number.POSITIVE_INFINITY;
  return {
    allow: (count: number) => {
      left = count;
    },
    wrap: (store: FactStore): FactStore =>
      replaceMember(store, 'write', (tenantId, work) => {
        left -= 1;
        if (left < 0) throw new ServiceError('unavailable', 'the store is away');
        return store.write(tenantId, work);
      }),
  };
};

const addFacts = async (node: TestNode, key: string, count: number): Promise<void> => {
  for (let at = 0; at < count; at += 500) {
    const body = Array.from({ length: Math.min(500, count - at) }, (_, n) => ({
      entity: 'user:gone',
      relation: `memory:${(at + n) % 7}`,
      value: { type: 'string', v: String(at + n) },
      scope: SCOPES[n % 2],
      source: 'agent:ops',
      confidence: 1,
      reason: 'they said so',
    }));
    const reply = await node.request('POST', '/v1/facts/batch', { key, body });
    expect(reply.body.accepted).to.equal(body.length);
  }
};

forEachStore('a tombstone over more facts than one batch', () => {
  const store = refusing();
  let node: TestNode;
  let key: string;
  let ids: string[];
  before(async () => {
    node = await startTestNode({ env: { SVC_TOMBSTONES_ENABLED: 'true' }, wrapStore: store.wrap });
    key = await node.addKey({ entityUri: 'agent:ops', permissions: ['read', 'write', 'admin'] });
    await addFacts(node, key, COUNT);
    const about = all(equals('tenantId', 'default'), equals('entityKey', 'user:gone'), equals('scope', 'company'));
    ids = (await read((snapshot) => snapshot.outline(about))).map(({ id }) => id).sort();
  });
  after(() => node.stop());

  const read: FactStore['read'] = (work) => node.kernel.get(FactStore).read(work);

  /** Returns the ids of the facts whose reasons are hidden. */
  const hiddenReasons = (): Promise<string[]> =>
    read(async (snapshot) => {
      const about = all(equals('tenantId', 'default'), equals('relationKey', 'svc:reason'));
      const reasons = await snapshot.outline(about);
      const hidden = await node.kernel.get(SuppressedFacts).among(narrowSnapshot(snapshot), reasons);
      return hidden.map(({ entityKey }) => entityKey.replace('svc:fact:', ''));
    });

  const returned = (): Promise<string[]> =>
    read(async (snapshot) => {
      const stamps = { after: { wallMs: 0, counter: 0 }, upTo: { wallMs: Number.MAX_SAFE_INTEGER, counter: 0 } };
      const query = { tenantId: 'default', kind: FACT_RETURNED.id, ...stamps, limit: 2 * COUNT };
      return (await snapshot.announced(query)).map(({ subjectId }) => subjectId);
    });

  /** Returns how many reasons of facts in the scope of the tombstone a reader finds. */
  const shownReasons = async (): Promise<number> =>
    (await node.request('GET', '/v1/facts?relation=svc:reason&scope=company&limit=1', { key })).body.total;

  /** Lets the store refuse the third batch, and later lets the node continue. */
  const interrupted = async (path: string, body: object, meanwhile = async () => {}): Promise<void> => {
    store.allow(2);
    const refused = await node.request('POST', path, { key, body });
    expect(refused.status).to.equal(503);
    await meanwhile();
    store.allow(Number.POSITIVE_INFINITY);
    await node.clock.advance(60_000);
  };

  it('hides the system facts about each fact in its scope, also after an interruption', async () => {
    expect(await shownReasons()).to.equal(ids.length);
    await interrupted('/v1/tombstones', { entity_uri: 'user:gone', scope: 'company' }, async () => {
      expect(await shownReasons()).to.equal(0);
    });
    await comesTrue(async () => (await hiddenReasons()).length >= ids.length);
    expect((await hiddenReasons()).sort()).to.deep.equal(ids);
    expect(await shownReasons()).to.equal(0);
  });

  it('announces each of these facts once when it is revoked, also after an interruption', async () => {
    const { body } = await node.request('GET', '/v1/tombstones', { key });
    await interrupted(`/v1/tombstones/${body.tombstones[0].id}/revoke`, { reason: 'a mistake' });
    await comesTrue(async () => (await returned()).length >= ids.length);
    expect((await returned()).sort()).to.deep.equal(ids);
    expect(await shownReasons()).to.equal(ids.length);
  });
});

forEachStore('a tombstone whose facts cannot be read', () => {
  /** Refuses to read the facts of an entity, as where one of them is damaged. */
  const withoutFactsOf =
    (entity: string) =>
    (store: FactStore): FactStore =>
      replaceMember(store, 'write', (tenantId, work) =>
        store.write(tenantId, (transaction) => {
          const read: typeof transaction.outlineByTriple = (query) => {
            if (!isDeepStrictEqual(query.filter, equals('entityKey', entity)))
              return transaction.outlineByTriple(query);
            throw new ServiceError('conflict', 'a stored fact is damaged');
          };
          return work(replaceMember(transaction, 'outlineByTriple', read));
        }),
      );

  it('does not hold up the others after a start', async () => {
    const env = { SVC_TOMBSTONES_ENABLED: 'true' };
    const node = await startTestNode({ env });
    const { clock, folder } = node;
    let next: TestNode | undefined;
    try {
      const key = await node.addKey({ entityUri: 'agent:ops', permissions: ['read', 'write', 'admin'] });
      const made: { readonly id: string; readonly entity_uri: string }[] = [];
      for (const entity_uri of ['user:one', 'user:other']) {
        made.push((await node.request('POST', '/v1/tombstones', { key, body: { entity_uri } })).body);
      }
      await node.node.stop();
      const [first] = made.sort((one, other) => (one.id < other.id ? -1 : 1));
      const failing = String(first?.entity_uri);
      const again = await startTestNode({ env, clock, folder, wrapStore: withoutFactsOf(failing) });
      next = again;
      const left = async (): Promise<readonly string[]> => {
        const rows: readonly { readonly entity_uri: string }[] = await again.kernel
          .get(FactStore)
          .table('tombstones_markers')
          .whereNotNull('followed_number');
        return rows.map((row) => row.entity_uri);
      };
      expect(await left()).to.have.members(['user:one', 'user:other']);
      await clock.advance(60_000);
      await comesTrue(async () => isDeepStrictEqual(await left(), [failing]));
    } finally {
      await next?.stop();
      await node.stop();
    }
  });
});

describe('the batches of facts that follow a tombstone', () => {
  const queries: LedgerQuery[] = [];
  let pages = 0;
  let node: TestNode;
  before(async () => {
    node = await startTestNode({ store: 'sqlite', env: { SVC_TOMBSTONES_ENABLED: 'true' }, wrapStore: recorded });
    const key = await node.addKey({ entityUri: 'agent:ops', permissions: ['read', 'write', 'admin'] });
    await addFacts(node, key, COUNT);
    queries.length = 0;
    pages = 0;
    await node.request('POST', '/v1/tombstones', { key, body: { entity_uri: 'user:gone' } });
  });
  after(() => node.stop());

  const recorded = (store: FactStore): FactStore =>
    replaceMember(store, 'write', (tenantId, work) =>
      store.write(tenantId, (transaction) => {
        const counted = replaceMember(transaction, 'outlineByTriple', (query) => {
          if (isDeepStrictEqual(query.filter, equals('entityKey', 'user:gone'))) pages += 1;
          return transaction.outlineByTriple(query);
        });
        const ledger = (query: LedgerQuery) => {
          queries.push(query);
          return transaction.ledger(query);
        };
        return work(replaceMember(counted, 'ledger', ledger as never));
      }),
    );

  it('read and sort no fact of the entity again (I21)', () => {
    const statements = new FactStatements(sqliteDialect);
    const database = loadSqliteDriver().open(join(node.folder, 'node.db'));
    try {
      for (const query of queries) {
        const plan = database.prepare(`EXPLAIN QUERY PLAN ${statements.ledger(query).sql}`).all() as {
          detail: string;
        }[];
        expect(plan.map(({ detail }) => detail).join()).not.to.match(/facts_by_triple|TEMP B-TREE/);
      }
    } finally {
      database.close();
    }
    expect(pages).to.equal(Math.ceil(COUNT / 500));
  });
});
