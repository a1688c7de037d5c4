import { open } from 'node:fs/promises';
import { expect } from 'chai';
import { loadSqliteDriver } from '../../../adapters/sqlite/sqlite-driver.ts';
import { StoreVerification, type VerifiedStore } from '../../../plugins/backup/backup-api.ts';
import { forEachStore } from '../../kit/for-each-store.ts';
import { startTestNode, type TestNode } from '../../kit/start-test-node.ts';
import { tamper } from '../../kit/tamper.ts';
import { placeTestStore } from '../../kit/test-store.ts';
import { factBody } from '../facts/fact-bodies.ts';

forEachStore('the check "structure" of the command "verify"', (kind) => {
  let node: TestNode;
  let key: string;
  beforeEach(async () => {
    node = await startTestNode({ plugins: ['keys', 'facts', 'backup'] });
    key = await node.addKey();
  });
  afterEach(() => node.stop());

  const assertFact = async (entity: string): Promise<void> => {
    const { status } = await node.request('POST', '/v1/facts', { key, body: factBody({ entity }) });
    expect(status).to.equal(201);
  };
  const progress: [done: number, total: number][] = [];
  const verify = (): Promise<VerifiedStore> =>
    node.kernel.get(StoreVerification).run(({ done, total }) => progress.push([done, total]));
  const structureOf = ({ checks }: VerifiedStore) => checks.find(({ name }) => name === 'structure');

  it('holds in a sound store, says how it was made, and reports progress to the end', async () => {
    await assertFact('user:a');
    const verified = await verify();
    expect(verified.findings).to.deep.equal([]);
    expect(structureOf(verified)?.note).to.include(kind === 'sqlite' ? 'integrity_check' : 'counts of rows');
    const [done, total] = progress.at(-1) ?? [];
    expect(done).to.equal(total);
  });

  it('finds an index that lacks rows of its table, and the other checks still run', async () => {
    await assertFact('user:a');
    if (kind === 'sqlite') {
      await emptyIndex(node);
    } else {
      // The server leaves an index that is not ready out of writes.
      await tamper(node, 'CREATE EXTENSION amcheck');
      const set = (isReady: boolean) =>
        tamper(node, `UPDATE pg_index SET indisready = ${isReady} WHERE indexrelid = 'facts_by_source'::regclass`);
      await set(false);
      await assertFact('user:b');
      await set(true);
    }
    const verified = await verify();
    expect(structureOf(verified)?.note).to.include('tables against indexes');
    const found = verified.findings.filter(({ check }) => check === 'structure');
    expect(found, JSON.stringify(verified)).to.not.have.length(0);
    expect(JSON.stringify(found)).to.include('facts_by_source');
    expect(verified.checks.map(({ name }) => name)).to.include.members(['facts', 'structure']);
  });
});

/** Overwrites the root page of the index `facts_by_source`, its only page, with an empty one. */
const emptyIndex = async (node: TestNode): Promise<void> => {
  const path = String((await placeTestStore('sqlite', node.folder)).settings['path']);
  const database = loadSqliteDriver().open(path);
  const read = (sql: string): number => {
    const [row] = database.prepare(sql).all() as [Readonly<Record<string, number>>];
    return Object.values(row)[0] as number;
  };
  try {
    read('PRAGMA wal_checkpoint(TRUNCATE)');
    const root = read("SELECT rootpage FROM sqlite_schema WHERE name = 'facts_by_source'");
    const file = await open(path, 'r+');
    await file.write(Buffer.from([0, 0]), 0, 2, (root - 1) * read('PRAGMA page_size') + ENTRY_COUNT_AT);
    await file.close();
    // A commit, after which connections read the page again.
    database.exec('PRAGMA user_version = 1');
  } finally {
    database.close();
  }
};

/** The place of the number of entries in a page: https://www.sqlite.org/fileformat.html#b_tree_pages */
const ENTRY_COUNT_AT = 3;
