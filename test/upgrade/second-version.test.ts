import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { markStoreRestored } from '../../config/mark-store-restored.ts';
import type { NodeConfig } from '../../config/node-config.ts';
import { all, type FactStore } from '../../ports/ports.ts';
import { sampleFact, storeFacts } from '../kit/fact-samples.ts';
import { forEachStore } from '../kit/for-each-store.ts';
import { rejection } from '../kit/rejection.ts';
import { placeTestStore, type TestStore } from '../kit/test-store.ts';
import { FIRST_VERSION, ROWS_PER_STEP, secondVersion } from './second-version.ts';

const PROCESS = fileURLToPath(new URL('./upgrade-process.js', import.meta.url));
const WORDS = ['one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight'];

forEachStore('A store of a first version', (kind) => {
  let folder: string;
  let place: TestStore;
  let store: FactStore | undefined;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'second-version-'));
    place = await placeTestStore(kind, folder);
    const first = open();
    await first.migrate(FIRST_VERSION);
    await storeFacts(first, [sampleFact(1)]);
    await first.write('default', (transaction) =>
      transaction.insertRows(
        'notes_rows',
        WORDS.map((word, id) => ({ id, word })),
      ),
    );
  });
  afterEach(async () => {
    await store?.close();
    await place.remove();
    await rm(folder, { recursive: true, force: true });
  });

  const open = (): FactStore => {
    store = place.open();
    return store;
  };
  const expectSecondVersion = async (opened: FactStore): Promise<void> => {
    const notes = await opened.read((snapshot) => snapshot.table('notes_rows').orderBy('id'));
    expect(notes).to.deep.equal(WORDS.map((word, id) => ({ id, word, length: word.length })));
    const entered = await opened.read((snapshot) => snapshot.select('schema_migrations', {}));
    expect(entered.map(({ version, owner }) => [version, owner]).sort()).to.deep.equal([
      ['001_init', 'core'],
      ['011_facts_garden_attested', 'core'],
      ['012_multi_tenant', 'core'],
      ['900_notes', 'notes'],
      ['901_remarks', 'core'],
      ['902_longer_notes', 'notes'],
    ]);
    const [fact] = await opened.read((snapshot) => snapshot.find({ filter: all(), order: 'feed', limit: 1 }));
    expect(fact).to.deep.equal(sampleFact(1));
  };

  it('is upgraded to the second version in logged steps, with all its facts and rows', async () => {
    const lines: string[] = [];
    const opened = open();
    await opened.migrate(secondVersion(), { onProgress: (line) => lines.push(line) });
    expect(lines).to.deep.equal([3, 6, 8].map((done) => `migration 902_longer_notes: ${done} of 8 notes`));
    await expectSecondVersion(opened);
  });

  it('has no lost or duplicate rows after repeated kills inside a step or after it', async () => {
    await store?.close();
    const { path, url } = place.settings;
    let kills = 0;
    for (let moment = 1; ; moment = (moment % 3) + 1) {
      const child = spawn(process.execPath, [PROCESS, kind, String(path ?? url), String(moment)]);
      const [code, signal] = (await once(child, 'exit')) as [number | null, string | null];
      if (signal === null) {
        expect(code).to.equal(0);
        break;
      }
      expect(signal).to.equal('SIGKILL');
      kills += 1;
    }
    expect(kills).to.be.above(WORDS.length / ROWS_PER_STEP);
    await expectSecondVersion(open());
  });

  it('is refused by the first version after the upgrade', async () => {
    const opened = open();
    await opened.migrate(secondVersion());
    const refused = await rejection(opened.migrate(FIRST_VERSION));
    expect(refused).to.include({
      code: 'unavailable',
      message: 'the store was written by a newer version: it has migration 901_remarks',
    });
    await expectSecondVersion(opened);
  });
});

forEachStore('A store that lacks migrations of the core', (kind) => {
  it('must be upgraded before it is marked as restored, and the command says so', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'restored-'));
    const place = await placeTestStore(kind, folder);
    const store = place.open();
    try {
      await store.migrate(FIRST_VERSION.slice(0, 2));
      const config = {
        store: { adapter: {}, settings: {} },
        node: { maxStampLeadS: 300 },
      } as unknown as Pick<NodeConfig, 'store' | 'node'>;
      const restore = () => markStoreRestored(config, async () => place.open());
      const refused = await rejection(restore());
      expect(refused).to.include({ code: 'unavailable' });
      expect(refused['hint']).to.match(/^run "fact-memory-node init"/);
      await store.migrate(FIRST_VERSION);
      const before = await store.read((snapshot) => snapshot.epoch());
      await restore();
      expect(await store.read((snapshot) => snapshot.epoch())).not.to.equal(before);
    } finally {
      await store.close();
      await place.remove();
      await rm(folder, { recursive: true, force: true });
    }
  });
});
