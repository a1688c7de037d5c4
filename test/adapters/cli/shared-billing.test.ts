import { expect } from 'chai';
import { createTestDatabase, type TestDatabase } from '../../kit/postgres-server.ts';
import { type RunningProgram, type Variables, Workplace } from './spawned-program.ts';

const FACTS_PER_NODE = 40;

const lines = (from: number): string =>
  Array.from({ length: FACTS_PER_NODE }, (_, at) =>
    JSON.stringify({ entity: `i:${from + at}`, relation: 'x:n', value: { type: 'null', v: null }, source: 'agent:w' }),
  ).join('\n');

const billedFacts = (stderr: string): string[] =>
  stderr
    .split('\n')
    .filter((line) => line.startsWith('{"billing":'))
    .map((line) => (JSON.parse(line) as { billing: { fact_id: string } }).billing.fact_id);

describe('billing lines of several processes that share a store', () => {
  let place: Workplace;
  let database: TestDatabase;
  before(async () => {
    database = await createTestDatabase();
  });
  after(() => database.drop());
  beforeEach(() => {
    place = new Workplace();
  });
  afterEach(() => place.dispose());

  const assertThrough = async ({ url }: RunningProgram, from: number): Promise<void> => {
    const argv = ['import', '-', '--key-file', 'data/admin.key', '--url', url];
    const { exitCode, stderr } = await place.run(argv, {}, lines(from));
    expect(exitCode, stderr).to.equal(0);
  };

  for (const [engine, envOf] of [
    ['SQLite', (): Variables => ({})],
    ['PostgreSQL', (): Variables => ({ SVC_DATABASE_URL: database.url })],
  ] as const) {
    it(`are written once for each fact, by any process, on ${engine}`, async () => {
      const nodes = [await place.start([], envOf()), await place.start([], envOf())];
      await Promise.all(nodes.map((node, at) => assertThrough(node, at * FACTS_PER_NODE)));
      const ends = [await nodes[1]?.end(), await nodes[0]?.end()];
      const billed = ends.flatMap((end) => billedFacts(end?.stderr ?? ''));
      expect(billed).to.have.length(2 * FACTS_PER_NODE);
      expect(new Set(billed).size).to.equal(2 * FACTS_PER_NODE);
    });
  }
});
