import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { NODE_VERSION } from '../../kernel/identity/node-version.ts';
import { Workplace } from '../adapters/cli/spawned-program.ts';
import { differencesFromShown } from '../documents/shown-output.ts';
import { STAGE_VARIABLES, startStage } from '../flows/examples/stage.ts';
import { forEachStore } from '../kit/for-each-store.ts';
import { administer } from '../kit/postgres-server.ts';
import { readCatalogue } from '../kit/store-catalogue.ts';
import { placeTestStore, type TestStore } from '../kit/test-store.ts';
import { countRows } from './count-rows.ts';
import { knownOf, recordedStore, recordedVersions } from './recorded-stores.ts';

const SHOWN = 5;
const HOW = 'npm run record-store makes it: see "How it is released" in CONTRIBUTING.md';

/** A later migration adds a column at the end, where a new store has it at its place. */
const sorted = (tables: Readonly<Record<string, readonly string[]>>) =>
  Object.fromEntries(Object.entries(tables).map(([name, columns]) => [name, [...columns].sort()]));

describe('The recorded stores', () => {
  it('include one of this version', () => {
    expect(recordedVersions(), HOW).to.include(NODE_VERSION);
  });
});

for (const version of recordedVersions()) {
  forEachStore(`The recorded store of ${version}`, (kind) => {
    const known = knownOf(version, kind);
    let folder: string;
    let place: TestStore;
    let address: string;
    let command: Workplace;
    let variables: Record<string, string>;

    before(async () => {
      folder = mkdtempSync(join(tmpdir(), 'recorded-'));
      command = new Workplace();
      place = await placeTestStore(kind, folder);
      const { path, url } = place.settings;
      address = String(path ?? url);
      const store = recordedStore(version, kind);
      if (kind === 'sqlite') writeFileSync(address, store);
      else await administer(address, store.toString());
      variables = { ...STAGE_VARIABLES, [kind === 'sqlite' ? 'SVC_DB_PATH' : 'SVC_DATABASE_URL']: address };
    });
    after(async () => {
      await command?.dispose();
      await place?.remove();
      rmSync(folder, { recursive: true, force: true });
    });

    const run = async (...argv: readonly string[]) => {
      const { exitCode, stdout, stderr } = await command.run(argv, variables);
      expect(exitCode, `${stdout}${stderr}`).to.equal(0);
      return stdout;
    };

    it('has every row that its version wrote', async () => {
      expect(await countRows(kind, address)).to.deep.equal(known.rows);
    });

    it('is one that this version upgrades', async () => {
      const { state, facts } = JSON.parse(await run('upgrade', '--check', '--json'));
      expect(state).to.be.oneOf(version === NODE_VERSION ? ['current'] : ['current', 'older']);
      expect(facts).to.equal(known.rows['facts']);
    });

    it('has the tables of a new store after the start, and gives the known answers', async function () {
      this.timeout(120_000);
      const stage = await startStage(place.open(), { isNew: false });
      try {
        const differences: string[] = [];
        for (const { path, body } of known.answers) {
          differences.push(...differencesFromShown(body, await stage.ask('GET', path), path));
        }
        expect(differences.slice(0, SHOWN)).to.deep.equal([]);
      } finally {
        await stage.stop();
      }
      const other = mkdtempSync(join(tmpdir(), 'new-'));
      const fresh = await placeTestStore(kind, other);
      try {
        await (await startStage(fresh.open())).stop();
        const tables = async (store: TestStore) => sorted((await readCatalogue(store)).columns);
        expect(await tables(place), version === NODE_VERSION ? HOW : '').to.deep.equal(await tables(fresh));
      } finally {
        await fresh.remove();
        rmSync(other, { recursive: true, force: true });
      }
    });

    it('is whole', async () => {
      expect(await run('verify')).to.match(/^chain +holds/m);
    });
  });
}
