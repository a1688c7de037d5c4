import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { expect } from 'chai';
import { LogReader } from '../../../adapters/sqlite/read-log.ts';
import { inTemporaryFolder } from '../../kit/temporary-folder.ts';

const ROWS = 400;

/** Runs `inBetween` before the third read of a file within `work`. */
const interrupted = <T>(work: () => T, inBetween: () => void): T => {
  const { readSync } = fs;
  let reads = 0;
  fs.readSync = ((...given: Parameters<typeof readSync>) => {
    reads += 1;
    if (reads === 3) inBetween();
    return readSync(...given);
  }) as typeof readSync;
  syncBuiltinESMExports();
  try {
    return work();
  } finally {
    fs.readSync = readSync;
    syncBuiltinESMExports();
  }
};

describe('the reader of the log of a database', () => {
  it('returns no page of a log that began anew while it was read for the first time', () =>
    inTemporaryFolder(async (folder) => {
      const path = join(folder, 'svc.db');
      const writer = new DatabaseSync(path);
      writer.exec('PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0; CREATE TABLE t (id INTEGER, text TEXT)');
      const insert = writer.prepare('INSERT INTO t VALUES (?, ?)');
      for (let id = 0; id < ROWS; id += 1) insert.run(id, 'x'.repeat(3_000));
      writer.exec('PRAGMA wal_checkpoint(PASSIVE)');
      const [reader, fresh] = [new LogReader(path), new LogReader(path)];
      const read = interrupted(
        () => reader.read(),
        () => writer.exec(`UPDATE t SET text = '${'y'.repeat(3_000)}'`),
      );
      expect(read).to.deep.equal(fresh.read());
      for (const log of [reader, fresh]) log.close();
      writer.close();
    }));
});
