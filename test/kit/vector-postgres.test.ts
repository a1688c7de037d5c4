import { expect } from 'chai';
import pg from 'pg';
import { startTestNode } from './start-test-node.ts';
import { startVectorPostgres, type VectorPostgres } from './vector-postgres.ts';

describe('the database with pgvector of the tests', () => {
  let database: VectorPostgres;
  before(async () => {
    database = await startVectorPostgres();
  });
  after(() => database.stop());

  const connect = async (): Promise<pg.Client> => {
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    return client;
  };

  it('compares vectors, bits and half vectors, in pgvector 0.8 or later', async () => {
    const client = await connect();
    const { rows } = await client.query(`SELECT '[1,0]'::vector <=> '[0,1]' AS cosine,
      B'101'::bit(3) <~> B'110' AS hamming, '[1,2]'::halfvec <#> '[3,4]' AS inner,
      (SELECT extversion FROM pg_extension WHERE extname = 'vector') AS version`);
    await client.end();
    const [{ version, ...distances }] = rows as [{ version: string }];
    expect(distances).to.deep.equal({ cosine: 1, hamming: 2, inner: -11 });
    expect(version).to.match(/^0\.([89]|\d\d)\.|^[1-9]/);
  });

  it('keeps prepared statements and transactions of two connections apart', async () => {
    const [one, other] = [await connect(), await connect()];
    await one.query('CREATE TABLE kept (n integer)');
    await one.query('BEGIN');
    await one.query({ name: 'same', text: 'INSERT INTO kept VALUES ($1)', values: [1] });
    const waiting = other.query({ name: 'same', text: 'SELECT count(*)::int AS n FROM kept', values: [] });
    await one.query('ROLLBACK');
    expect((await waiting).rows).to.deep.equal([{ n: 0 }]);
    await Promise.all([one.end(), other.end()]);
    await database.empty();
  });

  it('stores the facts of a whole node', async () => {
    const node = await startTestNode({ plugins: ['keys', 'facts', 'search', 'recall'], databaseUrl: database.url });
    try {
      const key = await node.addKey();
      const fact = {
        entity: 'user:a',
        relation: 'memory:note',
        value: { type: 'text', v: 'river' },
        source: 'agent:a',
      };
      expect((await node.request('POST', '/v1/facts', { key, body: fact })).status).to.equal(201);
      const reply = await node.request('POST', '/v1/recall', { key, body: { query: 'river', token_budget: 100 } });
      expect(reply.body.facts).to.have.length(1);
    } finally {
      await node.stop();
      await database.empty();
    }
  });
});
