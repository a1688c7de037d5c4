import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { expect } from 'chai';
import { Workplace } from '../../adapters/cli/spawned-program.ts';
import { forEachStore } from '../../kit/for-each-store.ts';
import { administer, createTestDatabase, type TestDatabase } from '../../kit/postgres-server.ts';

const HEADER = JSON.stringify({ type: 'header', format: 1, node_id: 'svc:node:x', tenant_id: 'default' });
const TABLES = "SELECT tablename FROM pg_tables WHERE schemaname = 'public'";
const ID = '5f0c2b1e-7a64-4a0e-9a0b-0d5a3f2f9c11';
const COMMANDS: readonly (readonly string[])[] = [
  ['export'],
  ['export', '--out', 'memory.ndjson'],
  ['import', 'export.ndjson'],
  ['restored'],
  ['key', 'add', '--entity', 'agent:x', '--out', 'x.key'],
  ['key', 'list'],
  ['key', 'revoke', ID],
  ['token', 'mint', '--subject', 'agent:x', '--verb', 'read', '--object', 'svc://facts'],
  ['token', 'show', 'export.ndjson'],
  ['token', 'list'],
  ['token', 'revoke', ID],
  ['rotate', 'node-key'],
];

forEachStore('An operator runs a command in the wrong folder, or with the wrong database (I22)', (kind) => {
  let place: Workplace;
  let database: TestDatabase | undefined;
  let env: Readonly<Record<string, string>>;
  before(async () => {
    place = new Workplace();
    database = kind === 'postgres' ? await createTestDatabase() : undefined;
    env = database === undefined ? {} : { SVC_DATABASE_URL: database.url };
    writeFileSync(place.path('export.ndjson'), `${HEADER}\n`);
  });
  after(async () => {
    await place.dispose();
    await database?.drop();
  });

  for (const argv of COMMANDS) {
    it(`"${argv.slice(0, 2).join(' ')}" prints where it looked for the store, and creates none`, async () => {
      const { exitCode, stdout, stderr } = await place.run(argv, env);

      const where = database === undefined ? place.path('data/svc.db') : new URL(database.url).pathname;
      expect(stderr).to.match(
        /^error: there is no store at \S+\nhint: .*"\S.* start" and "\S.* init" make a new one\n$/,
      );
      expect(stderr).to.contain(where);
      expect([exitCode, stdout]).to.deep.equal([1, '']);
      expect(readdirSync(place.folder)).to.deep.equal(['export.ndjson']);
      if (database !== undefined) expect(await administer(database.url, TABLES)).to.deep.equal([]);
    });
  }
});

describe('An operator names a file that is no store (I22)', () => {
  it('gets an error, and the file stays unchanged', async () => {
    const place = new Workplace();
    mkdirSync(place.path('data'));
    writeFileSync(place.path('data/svc.db'), '');
    const { exitCode, stderr } = await place.runApart(['export']);

    expect(exitCode).to.equal(1);
    expect(stderr).to.contain('there is no store at');
    expect(readdirSync(place.path('data'))).to.deep.equal(['svc.db']);
    await place.dispose();
  });
});

describe('An operator may not look into the folder of the store (I22)', () => {
  it('is told so, instead of reading that the store does not exist', async () => {
    const place = new Workplace();
    // A link to itself fails for root too, who may look into every folder.
    symlinkSync('data', place.path('data'));
    for (const argv of [
      ['key', 'list'],
      ['plugins', 'doctor'],
    ]) {
      const { exitCode, stdout, stderr } = await place.runApart(argv);
      expect(stdout + stderr, argv[0]).to.match(/cannot look for the store in \S+\/data \(ELOOP\)/);
      expect(stdout + stderr, argv[0])
        .to.contain('as the user of the node')
        .and.not.to.contain('there is no store');
      expect(exitCode, argv[0]).to.equal(1);
    }
    await place.dispose();
  });
});
