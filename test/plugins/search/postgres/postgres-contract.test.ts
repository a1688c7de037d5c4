import { describeSearchIndex } from '../../../contract/search-index-contract.ts';
import { startTestNode } from '../../../kit/start-test-node.ts';
import { startVectorPostgres, type VectorPostgres } from '../../../kit/vector-postgres.ts';

/** PGlite takes minutes for the contract on a busy machine, so that the usual run needs a server. */
const IS_RUN = process.env['SVC_TEST_LONG'] === '1' || process.env['SVC_TEST_VECTOR_DATABASE_URL'] !== undefined;

const describeContract = (): void => {
  let database: VectorPostgres;
  before(async function () {
    this.timeout(60_000);
    database = await startVectorPostgres();
  });
  after(async () => {
    await database?.empty();
    await database?.stop();
  });

  describeSearchIndex('in PostgreSQL', ({ plugins, settings }) =>
    startTestNode({ plugins: [...plugins, 'search-postgres'], settings, databaseUrl: database.url }),
  );
};

if (IS_RUN) describe('the contract of a search index in PostgreSQL', describeContract);
