import { expect } from 'chai';
import { DatabaseError } from 'pg';
import { commitUnknown, toServiceError as toPostgresError } from '../../../adapters/postgres/postgres-errors.ts';
import { toCommitError, toServiceError as toSqliteError } from '../../../adapters/sqlite/sqlite-errors.ts';
import type { FactStore } from '../../../ports/ports.ts';
import { forEachStore, type StoreKind } from '../../kit/for-each-store.ts';
import { startTestNode, type TestNode } from '../../kit/start-test-node.ts';

const sqliteError = (errcode: number): Error => Object.assign(new Error('injected'), { errcode });

const postgresError = (code: string): Error => Object.assign(new DatabaseError('injected', 0, 'error'), { code });

const SQLITE_CODES = [3, 5, 6, 7, 8, 10, 11, 13, 14, 15, 23, 26];
const POSTGRES_CODES = [
  ...['08006', '25006', '25P03', '26000', '28P01', '3D000', '42P05'],
  ...['53100', '53300', '55P03', '57014', '57P01', '57P03'],
];

/** Every error by which an adapter says that its database cannot serve. */
const CAUSES: Readonly<Record<StoreKind, ReadonlyMap<string, unknown>>> = {
  sqlite: new Map([
    ...SQLITE_CODES.map((code) => [`result code ${code}`, toSqliteError(sqliteError(code))] as const),
    ['a commit on a failing disk', toCommitError(sqliteError(10))],
  ]),
  postgres: new Map([
    ...POSTGRES_CODES.map((code) => [`SQLSTATE ${code}`, toPostgresError(postgresError(code))] as const),
    ['a connection that broke in the commit', commitUnknown(new Error('injected'))],
  ]),
};

const FACT = { entity: 'user:a', relation: 'memory:note', value: { type: 'string', v: 'x' }, source: 'agent:a' };

forEachStore('a node whose store cannot serve (I20)', (kind) => {
  let node: TestNode;
  let failure: unknown;
  before(async () => {
    const failing = (store: FactStore): FactStore =>
      new Proxy(store, {
        get(target, name) {
          if (failure !== undefined && ['read', 'write', 'ping'].includes(String(name))) {
            return () => Promise.reject(failure);
          }
          const member: unknown = Reflect.get(target, name);
          return typeof member === 'function' ? member.bind(target) : member;
        },
      });
    node = await startTestNode({ plugins: ['facts', 'node-info'], wrapStore: failing });
  });
  after(async () => {
    failure = undefined;
    await node.stop();
  });

  it('states in every 503 reply when to retry, for every cause', async () => {
    const key = await node.addKey();
    for (const [cause, error] of CAUSES[kind]) {
      failure = error;
      // The result of a health check is kept for a second.
      await node.clock.advance(2_000);
      const replies = [
        await node.request('POST', '/v1/facts', { key, body: FACT }),
        await node.request('GET', '/v1/facts?entity=user:a', { key }),
        await node.request('GET', '/healthz'),
        await node.request('GET', '/readyz'),
      ];
      for (const [at, { status, headers }] of replies.entries()) {
        expect({ cause, at, status, wait: headers['retry-after'] }).to.deep.equal({
          cause,
          at,
          status: 503,
          wait: '1',
        });
      }
    }
  });
});
