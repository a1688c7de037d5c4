import { DatabaseSync } from '@photostructure/sqlite';
import { expect } from 'chai';
import { CEILING_LAYOUTS, type CeilingLayoutName } from '../../bench/ceiling/ceiling-layout.ts';
import { templateCid } from '../../bench/ceiling/template-cid.ts';
import { runLoad } from '../../bench/load/run-load.ts';
import type { ServerProcess } from '../../bench/processes/child-process.ts';
import { startCeiling } from '../../bench/processes/start-ceiling.ts';
import { bytesPerFact, storeSize } from '../../bench/processes/store-size.ts';
import { expectedLink, type LinkSource } from '../kit/expected-link.ts';
import { forEachStore } from '../kit/for-each-store.ts';
import { administer, createTestDatabase, type TestDatabase } from '../kit/postgres-server.ts';

const fact = (v: string) => ({
  entity: 'user:alice',
  relation: 'memory:role',
  value: { type: 'string', v },
  source: 'agent:w1',
  scope: 'company',
});

/** Enough facts to fill several pages of each table and index, on a machine of any speed. */
const FACTS_OF_SEVERAL_PAGES = 200;

type Row = Readonly<Record<string, unknown>>;

/** Returns rows from the store of a prototype, which may be running. */
const rowsOf = async ({ database }: ServerProcess, sql: string): Promise<readonly Row[]> => {
  if (/^postgres/.test(database)) return administer(database, sql);
  const file = new DatabaseSync(database, { readOnly: true });
  try {
    return file.prepare(sql).all() as Row[];
  } finally {
    file.close();
  }
};

const linkSource = (row: Row): LinkSource => ({
  seq: Number(row['number']),
  createdMs: Number(row['timestamp_ms']),
  tenantId: String(row['tenant_id']),
  factId: String(row['id']),
  entity: String(row['entity'] ?? row['entity_key']),
  relation: String(row['relation'] ?? row['relation_key']),
  scope: String(row['scope']),
  source: String(row['source']),
  confidence: Number(row['confidence']),
  interpretAs: 'literal',
  valueType: String(row['value_type']),
  v: JSON.parse(String(row['value_v'])),
  salt: row['salt'] as Uint8Array,
});

/** For each layout, the query that returns every stored fact with all its details. */
const WHOLE_FACTS: Readonly<Record<CeilingLayoutName, string>> = {
  'one-row': 'SELECT count(*) AS n FROM facts WHERE link_hash IS NOT NULL AND salt IS NOT NULL',
  'two-rows': 'SELECT count(*) AS n FROM facts JOIN audit ON audit.fact_id = facts.id',
};

for (const layout of Object.keys(CEILING_LAYOUTS) as CeilingLayoutName[]) {
  forEachStore(`The ceiling prototype of ${layout}`, (store) => {
    let server: ServerProcess;
    let database: TestDatabase | undefined;

    before(async () => {
      database = store === 'postgres' ? await createTestDatabase() : undefined;
      server = await startCeiling(database === undefined ? { layout } : { layout, database: database.url });
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

    it('stores a fact, detects a contradiction, and identifies the caller', async () => {
      const first = await post(fact('CEO'));
      expect(first.status).to.equal(201);
      expect(await first.json()).to.include({ contradicted: false, entity: 'user:alice' });
      expect(await (await post(fact('CTO'))).json()).to.include({ contradicted: true });
      expect((await post(fact('CEO'), 'another')).status).to.equal(401);
      expect((await post({ entity: 'user:alice' })).status).to.equal(422);
    });

    it('replies to load only with status 201, and stores every fact completely', async () => {
      const { port, key } = server;
      const stored = async () => Number((await rowsOf(server, WHOLE_FACTS[layout]))[0]?.['n']);
      const [before, sizeBefore] = [await stored(), await storeSize(server.database)];
      let acknowledged = 0;
      while (acknowledged < FACTS_OF_SEVERAL_PAGES) {
        const requests = { kind: 'append', first: acknowledged, contradicting: 0.1 } as const;
        const report = await runLoad({ ports: [port], key, connections: 4, seconds: 0.2, requests });
        expect(Object.keys(report.statuses)).to.deep.equal(['201']);
        expect(report.statuses['201']).to.equal(report.requests);
        expect(report.p99Ms).to.be.at.least(report.p50Ms);
        acknowledged += report.requests;
      }
      expect((await stored()) - before).to.equal(acknowledged);
      const size = await storeSize(server.database);
      expect(size.facts - sizeBefore.facts).to.equal(acknowledged);
      expect(bytesPerFact(sizeBefore, size)).to.be.above(100);
    });

    if (layout === 'one-row') {
      it('links each fact to the one before it, over a salted commitment of its value', async () => {
        for (const v of ['first', 'second "quoted"', 'dritte, mit Umlaut: ä']) await post(fact(v));
        const rows = await rowsOf(server, 'SELECT * FROM facts ORDER BY number');
        let previous: string | null = null;
        for (const row of rows) {
          const hex = Buffer.from(row['link_hash'] as Uint8Array).toString('hex');
          expect(`sha256:${hex}`, `fact ${row['number']}`).to.equal(expectedLink(linkSource(row), previous));
          previous = `sha256:${hex}`;
        }
        expect(rows.length).to.be.above(3);
      });
    }
  });
}

describe('The bench', () => {
  it('computes the same content ids as a node', () => {
    expect(templateCid({ ...fact('CEO'), confidence: 1 })).to.equal(
      'sha256:0c5bdff9dc551d21c838adb2cc9ae6ab201114edc65e9b5df1957a88118a6e5a',
    );
  });
});
