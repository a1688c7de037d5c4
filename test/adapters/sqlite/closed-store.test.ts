import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { openWriter } from '../../../adapters/sqlite/open-connection.ts';
import { requireUnused } from '../../../adapters/sqlite/restore-file.ts';
import { loadSqliteDriver } from '../../../adapters/sqlite/sqlite-driver.ts';
import { releaseFiles } from '../../kit/release-files.ts';

describe('a closed connection to an SQLite file', () => {
  it('leaves the file to others, even if something still refers to the connection', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'closed-store-'));
    try {
      const path = join(folder, 'svc.db');
      const connection = openWriter({ driver: loadSqliteDriver(), path, busyTimeoutMs: 0 });
      connection.exec('CREATE TABLE a (b)');
      expect(connection.rows('SELECT b FROM a', [])).to.deep.equal([]);
      connection.close();
      await releaseFiles(folder);
      requireUnused(path);
      expect(() => connection.isTransaction).to.throw();
    } finally {
      rmSync(folder, { recursive: true });
    }
  }).timeout(30_000);
});
