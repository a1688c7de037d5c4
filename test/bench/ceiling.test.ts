import { expect } from 'chai';
import { templateCid } from '../../bench/ceiling/template-cid.ts';
import { runLoad } from '../../bench/load/run-load.ts';
import type { ServerProcess } from '../../bench/processes/child-process.ts';
import { startCeiling } from '../../bench/processes/start-ceiling.ts';
import { forEachStore } from '../kit/for-each-store.ts';
import { administer, createTestDatabase, type TestDatabase } from '../kit/postgres-server.ts';

const fact = (v: string) => ({
  entity: 'user:alice',
  relation: 'memory:role',
  value: { type: 'string', v },
  source: 'agent:w1',
  scope: 'company',
});

forEachStore('The ceiling prototype', (store) => {
  let server: ServerProcess;
  let database: TestDatabase | undefined;

  before(async () => {
    database = store === 'postgres' ? await createTestDatabase() : undefined;
    server = await startCeiling(database === undefined ? {} : { database: database.url });
  });

  after(async () => {
    await server?.stop();
    await database?.drop();
  });

  const post = (body: unknown, key = server.key): Promise<Response> =>
    fetch(`http://127.0.0.1:${server.port}/v1/facts`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });

  it('stores a fact, sees what contradicts it, and knows who is asking', async () => {
    const first = await post(fact('CEO'));
    expect(first.status).to.equal(201);
    expect(await first.json()).to.include({ contradicted: false, entity: 'user:alice' });
    expect(await (await post(fact('CTO'))).json()).to.include({ contradicted: true });
    expect((await post(fact('CEO'), 'another')).status).to.equal(401);
    expect((await post({ entity: 'user:alice' })).status).to.equal(422);
  });

  it('answers a load with nothing but 201', async () => {
    const { port, key } = server;
    const before = await storedIn(database);
    const requests = { kind: 'append', first: 0, contradicting: 0.1 } as const;
    const report = await runLoad({ ports: [port], key, connections: 4, seconds: 0.2, requests });
    expect(Object.keys(report.statuses)).to.deep.equal(['201']);
    expect(report.statuses['201']).to.equal(report.requests);
    expect(report.p99Ms).to.be.at.least(report.p50Ms);
    if (database !== undefined) expect((await storedIn(database)) - before).to.equal(report.requests);
  });
});

/** Facts with their audit row in the database; 0 where the store is a file. */
const storedIn = async (database: TestDatabase | undefined): Promise<number> => {
  if (database === undefined) return 0;
  const [row] = await administer(database.url, 'SELECT count(*) FROM facts JOIN audit ON audit.fact_id = facts.id');
  return Number(row?.['count']);
};

describe('The bench', () => {
  it('names contents as every node does', () => {
    expect(templateCid({ ...fact('CEO'), confidence: 1 })).to.equal(
      'sha256:0c5bdff9dc551d21c838adb2cc9ae6ab201114edc65e9b5df1957a88118a6e5a',
    );
  });
});
