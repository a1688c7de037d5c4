import {
  closeSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  rmdirSync,
  statSync,
  truncateSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { assert, asyncProperty, integer, nat } from 'fast-check';
import { checkBackup } from '../../../plugins/backup/check-files.ts';
import { rejection } from '../../kit/rejection.ts';
import { BackupPlace } from './backup-place.ts';

const RUNS = 150;

describe('The files of a backup', () => {
  let place: BackupPlace;
  let folder: string;
  let names: readonly string[];
  before(async () => {
    place = await BackupPlace.on('sqlite');
    await (await place.start()).end();
    folder = await place.backUp('--with-key');
    names = readdirSync(folder).sort();
  });
  after(() => place.dispose());

  const requireRefused = async (name: string): Promise<void> => {
    const error = await rejection(checkBackup(folder));
    expect(error, name).to.include({ code: 'validation' });
    expect(error)
      .to.have.property('message')
      .that.matches(/damaged|does not know/);
  };

  it('are the store, the key of the node and the manifest, and pass the check unchanged', async () => {
    expect(names).to.deep.equal(['manifest.json', 'node.key', 'store.db']);
    expect((await checkBackup(folder)).keyFiles).to.have.length(1);
  });

  it('are counted by the command that checks them', async () => {
    const { stdout, stderr } = await place.run(['verify', '--backup', folder]);
    expect(stdout, stderr).to.include(': 1 file, ');
  });

  it('are missed as a whole where no folder has the name, and by their manifest where one has', async () => {
    const gone = join(place.backups, 'backup-20260101T000000000Z-00000000');
    expect(await rejection(checkBackup(gone))).to.include({ code: 'lookup', message: `there is no backup ${gone}` });
    mkdirSync(gone);
    const { message } = await rejection(checkBackup(gone));
    rmdirSync(gone);
    expect(message).to.equal(`${gone} is no backup: it has no manifest.json`);
  });

  it('are refused after any change of one bit', async () => {
    const flipped = asyncProperty(nat(), nat(), integer({ min: 0, max: 7 }), async (which, where, bit) => {
      const name = names[which % names.length] as string;
      const path = join(folder, name);
      const at = where % statSync(path).size;
      flip(path, at, bit);
      try {
        await requireRefused(`${name}, byte ${at}, bit ${bit}`);
      } finally {
        flip(path, at, bit);
      }
    });
    await assert(flipped, { numRuns: RUNS });
    await checkBackup(folder);
  });

  it('are refused if one of them is longer or shorter', async () => {
    for (const name of names) {
      const path = join(folder, name);
      const { size } = statSync(path);
      const last = byteAt(path, size - 1);
      truncateSync(path, size - 1);
      await requireRefused(`${name}, shorter`);
      truncateSync(path, size + 1);
      write(path, size - 1, last);
      await requireRefused(`${name}, longer`);
      truncateSync(path, size);
      await checkBackup(folder);
    }
  });
});

const byteAt = (path: string, at: number): number => {
  const file = openSync(path, 'r');
  const byte = Buffer.alloc(1);
  readSync(file, byte, 0, 1, at);
  closeSync(file);
  return byte[0] as number;
};

const write = (path: string, at: number, byte: number): void => {
  const file = openSync(path, 'r+');
  writeSync(file, Buffer.of(byte), 0, 1, at);
  closeSync(file);
};

const flip = (path: string, at: number, bit: number): void => write(path, at, byteAt(path, at) ^ (1 << bit));
