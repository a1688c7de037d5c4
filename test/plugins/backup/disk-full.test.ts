import { readdirSync, statSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { ServiceError, type StoreCopies } from '../../../kernel/plugin-api.ts';
import { createBackup } from '../../../plugins/backup/create-backup.ts';
import { DISK_OF_BACKUPS, DISK_OF_STORE, explainDisk } from '../../../plugins/backup/explain-disk.ts';
import { readRetention } from '../../../plugins/backup/retained-backups.ts';
import { createManualClock } from '../../fakes/manual-clock.ts';
import { createSeededRandom } from '../../fakes/seeded-random.ts';
import { rejection } from '../../kit/rejection.ts';
import { BACKED_UP, BackupPlace } from './backup-place.ts';

/** A size limit far below the size of an empty store. */
const FEW_BLOCKS = 100;
/** A limit that a short log of the store keeps, and its file exceeds. */
const BLOCKS_OF_A_LOG = 800;

const EMPTY_COPY = {
  layout: 'sqlite-file-1',
  files: [],
  nodeId: null,
  epoch: 'e',
  head: null,
  ledgers: [],
  tables: {},
  migrations: [],
};

describe('A full disk', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'full-disk-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  for (const [code, told] of [
    ['ENOSPC', /^the disk of the backups is full$/],
    ['EDQUOT', /^the disk of the backups is full$/],
    ['EACCES', /^the folder of the backups may not be written$/],
  ] as const) {
    it(`(${code}) makes a backup fail with a clear error and leave no partial files`, async () => {
      let isFull = false;
      const copies: Pick<StoreCopies, 'alone' | 'placeKeys'> = {
        placeKeys: async () => {},
        alone: (work) =>
          work(async (draft) => {
            writeFileSync(join(draft, 'store.db'), 'half of it');
            if (isFull) throw Object.assign(new Error('write failed'), { code });
            return EMPTY_COPY;
          }),
      };
      const retention = readRetention(1, '');
      const parts = {
        copies,
        clock: createManualClock(),
        random: createSeededRandom(1),
        node: { dataFolder: folder },
        folder,
        retention,
      };
      const { id } = await createBackup(parts);
      isFull = true;
      const error = await rejection(createBackup(parts));
      expect(error).to.include({ code: 'unavailable' });
      expect(error).to.have.property('message').that.matches(told);
      expect(error).to.have.property('hint').that.contains('SVC_BACKUP_FOLDER');
      expect(readdirSync(folder), 'the backup from before stays').to.deep.equal([id]);
    });
  }

  it('is that of the backups where an adapter names it as the cause', async () => {
    const cause = Object.assign(new Error('no room'), { code: 'ENOSPC' });
    const failed = explainDisk(DISK_OF_BACKUPS, () =>
      Promise.reject(new ServiceError('unavailable', 'the store could not be copied', { cause })),
    );
    expect(await rejection(failed)).to.include({ code: 'unavailable', message: 'the disk of the backups is full' });
  });

  it('is that of the store where work on the backups restores one', async () => {
    const full = Object.assign(new Error('write failed'), { code: 'ENOSPC' });
    const failed = explainDisk(DISK_OF_BACKUPS, () => explainDisk(DISK_OF_STORE, () => Promise.reject(full)));
    expect(await rejection(failed)).to.include({ message: 'the disk of the store is full' });
  });

  it('makes a copy of the store fail with an error that names the disk of the copy', async () => {
    const place = await BackupPlace.on('sqlite', BACKED_UP);
    try {
      await place.run(['init']);
      const { exitCode, stderr } = await place.runLimited(['backup'], BLOCKS_OF_A_LOG);
      expect(exitCode).to.equal(1);
      expect(stderr).to.match(/the store could not be copied: the disk of the copy failed\nhint: look for a quota/);
      expect(readdirSync(place.backups), 'no draft stays').to.deep.equal([]);
      expect((await place.run(['backup'])).exitCode, 'once there is room').to.equal(0);
    } finally {
      await place.dispose();
    }
  });

  it('makes a restore fail with a clear error and leave nothing in the target but its lock', async () => {
    const [from, to] = [await BackupPlace.on('sqlite'), await BackupPlace.on('sqlite')];
    try {
      await from.run(['init']);
      const backup = await from.backUp();
      const { exitCode, stderr } = await to.runLimited(['restore', backup], FEW_BLOCKS);
      expect(exitCode).to.equal(1);
      expect(stderr).to.match(/the disk of the store is full/);
      expect(stderr).to.match(/hint: free as much space as the backup takes/);
      const data = to.work.path('data');
      expect(readdirSync(data).filter((name) => name.includes('svc.db'))).to.deep.equal(['svc.db-recorder']);
      expect(statSync(join(data, 'svc.db-recorder')).size, 'the lock').to.equal(0);
      expect((await to.run(['restore', backup])).exitCode, 'once there is room').to.equal(0);
    } finally {
      await from.dispose();
      await to.dispose();
    }
  });
});
