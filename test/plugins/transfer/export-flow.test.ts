import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { expect } from 'chai';
import { Workplace } from '../../adapters/cli/spawned-program.ts';
import { createTestDatabase, type TestDatabase } from '../../kit/postgres-server.ts';

const line = (n: number, more: Readonly<Record<string, unknown>> = {}): string =>
  JSON.stringify({ entity: `item:${n}`, relation: 'x-t:n', value: { type: 'number', v: n }, source: 'file', ...more });

/** Returns all lines except the header, which names the store. */
const contentOf = (text: string): string[] => text.split('\n').slice(1);

describe('export and import on the command line', function () {
  this.timeout(300_000);
  let place: Workplace;

  beforeEach(() => {
    place = new Workplace();
  });
  afterEach(() => place.dispose());

  /** Writes the export of a node to `memory.ndjson`. */
  const writeExport = async (): Promise<string> => {
    const node = await place.serve();
    const lines = Array.from({ length: 150 }, (_, n) => line(n % 140));
    writeFileSync(place.path('facts.jsonl'), `${lines.join('\n')}\n${line(1, { value: { type: 'null', v: null } })}\n`);
    const asserted = await place.run(['import', 'facts.jsonl', '--key-file', 'data/admin.key', '--url', node.url]);
    expect(asserted.exitCode, asserted.stderr).to.equal(0);
    const { exitCode, stdout, stderr } = await place.run(['export', '--out', 'memory.ndjson']);
    const said = '143 facts exported from data/svc.db\n';
    expect({ exitCode, stdout, stderr }).to.deep.equal({ exitCode: 0, stdout: '', stderr: said });
    return readFileSync(place.path('memory.ndjson'), 'utf8');
  };

  describe('between engines', () => {
    let database: TestDatabase;
    before(async () => {
      database = await createTestDatabase();
    });
    after(() => database.drop());

    it('moves a running node into PostgreSQL, and a second import changes nothing', async () => {
      const text = await writeExport();
      const env = { SVC_DATABASE_URL: database.url, SVC_DATA_FOLDER: 'postgres' };
      expect((await place.run(['init'], env)).exitCode).to.equal(0);
      const first = await place.run(['import', 'memory.ndjson'], env);
      expect(first.exitCode, first.stderr).to.equal(0);
      expect(first.stdout).to.equal('143 facts: 143 stored, 0 known; 0 lines refused\n');
      expect(first.stderr).to.match(/^importing into postgres:.*\nthe file comes from svc:node:/);
      const again = await place.run(['import', 'memory.ndjson'], env);
      expect(again.stdout).to.equal('143 facts: 0 stored, 143 known; 0 lines refused\n');
      const { stdout } = await place.run(['export'], env);
      expect(contentOf(stdout)).to.deep.equal(contentOf(text));
    });
  });

  it('writes a private file, and never overwrites one', async () => {
    await writeExport();
    expect(statSync(place.path('memory.ndjson')).mode & 0o777).to.equal(0o600);
    const { exitCode, stderr } = await place.run(['export', '--out', 'memory.ndjson']);
    expect(exitCode).to.equal(1);
    expect(stderr).to.match(/^error: memory\.ndjson exists already\nhint: /);
    expect(existsSync(place.path('memory.ndjson'))).to.equal(true);
  });

  it('says that a tenant without facts may be a mistyped name', async () => {
    expect((await place.run(['init'])).exitCode).to.equal(0);
    const { exitCode, stderr } = await place.run(['export', '--tenant', 'nope', '--out', 'none.ndjson']);
    expect(exitCode).to.equal(0);
    expect(stderr).to.contain('The tenant nope has no facts: check its name.\n');
  });

  it('names broken lines, stores the others, and detects a truncated file', async () => {
    const lines = (await writeExport()).split('\n');
    lines[4] = `${lines[4]}}`;
    writeFileSync(place.path('cut.ndjson'), lines.slice(0, 100).join('\n'));
    const env = { SVC_DB_PATH: 'other/svc.db' };
    expect((await place.run(['init'], env)).exitCode).to.equal(0);
    const cut = await place.run(['import', 'cut.ndjson'], env);
    expect(cut.exitCode).to.equal(1);
    expect(cut.stdout).to.equal('98 facts: 98 stored, 0 known; 1 line refused\n');
    expect(cut.stderr).to.match(/line 5: not valid JSON\nerror: the file ends before its last line/);
    writeFileSync(place.path('broken.ndjson'), lines.join('\n'));
    const broken = await place.run(['import', 'broken.ndjson'], env);
    expect(broken.exitCode).to.equal(2);
    expect(broken.stdout).to.match(/^142 facts: 44 stored, 98 known; 1 line refused\n/);
    const whole = await place.run(['import', 'memory.ndjson'], env);
    expect(whole.stdout).to.match(/^143 facts: 1 stored/);
    expect(whole.exitCode).to.equal(0);
  });
});
