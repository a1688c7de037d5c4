import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { CORE_MIGRATIONS } from '../../../adapters/sql/core-migrations.ts';
import { createSqliteStore } from '../../../adapters/sqlite/create-sqlite-store.ts';
import { restoreFile } from '../../../adapters/sqlite/restore-file.ts';
import { all, type FactStore, type RestoreRequest, type StoreCopy } from '../../../ports/ports.ts';
import { createGate } from '../../kit/create-gate.ts';
import { sampleFact, storeFacts } from '../../kit/fact-samples.ts';
import { rejection } from '../../kit/rejection.ts';
import { createTemporaryStore } from './temporary-store.ts';

const FACTS = [1, 2, 3].map((at) => sampleFact(at));

/** Returns the number of facts, and closes the store. */
const factsIn = async (store: FactStore): Promise<number> => {
  try {
    return await store.read((snapshot) => snapshot.count(all()));
  } finally {
    await store.close();
  }
};

const makeStore = async (path: string): Promise<void> => {
  const store = createSqliteStore({ path });
  await store.migrate(CORE_MIGRATIONS);
  await store.close();
};

describe('A restore of an SQLite store', () => {
  let folder: string;
  let path: string;
  let copy: StoreCopy;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'restore-file-'));
    path = join(folder, 'to', 'svc.db');
    await mkdir(join(folder, 'backup'));
    const source = await createTemporaryStore({}, CORE_MIGRATIONS);
    await storeFacts(source.store, FACTS);
    copy = (await source.store.copyInto?.(join(folder, 'backup'), {})) as StoreCopy;
    await source.stop();
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  const request = (more: Partial<RestoreRequest> = {}): RestoreRequest => ({
    folder: join(folder, 'backup'),
    copy,
    migrations: CORE_MIGRATIONS,
    replaces: false,
    label: 'before_1',
    prepare: async () => {},
    ...more,
  });
  const restored = (): Promise<number> => factsIn(createSqliteStore({ path }));

  it('refuses while another one works at the same place, and leaves the draft of that one', async () => {
    const begun = createGate();
    const goesOn = createGate();
    const first = restoreFile(
      path,
      request({
        prepare: () => {
          begun.open();
          return goesOn.passed;
        },
      }),
    );
    await begun.passed;
    const second = await rejection(restoreFile(path, request({ replaces: true })));
    goesOn.open();
    await first;
    expect(second['code'], second.message).to.equal('conflict');
    expect(await restored()).to.equal(FACTS.length);
    await rm(path);
    await restoreFile(path, request());
    expect(await restored()).to.equal(FACTS.length);
  });

  it('refuses where a store was made meanwhile, and keeps that one', async () => {
    const made = request({ prepare: () => makeStore(path) });
    expect((await rejection(restoreFile(path, made))).message).to.contain('there is a store');
    expect((await readdir(join(folder, 'to'))).filter((name) => /restoring|before/.test(name))).to.deep.equal([]);
  });
});
