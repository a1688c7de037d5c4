import { symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { hasContent } from '../../../adapters/sqlite/has-file.ts';
import { inTemporaryFolder } from '../../kit/temporary-folder.ts';

describe('a file that is to be a SQLite store', () => {
  it('has content in its second page, or in the log beside the file itself', () =>
    inTemporaryFolder(async (folder) => {
      const file = join(folder, 'svc.db');
      const link = join(folder, 'link.db');
      expect(hasContent(file)).to.equal(false);
      symlinkSync(file, link);
      expect(hasContent(link)).to.equal(false);
      writeFileSync(file, Buffer.alloc(4_096));
      for (const path of [file, link]) expect(hasContent(path), path).to.equal(false);
      writeFileSync(`${file}-wal`, 'a log');
      for (const path of [file, link]) expect(hasContent(path), path).to.equal(true);
      writeFileSync(`${file}-wal`, '');
      writeFileSync(file, Buffer.alloc(8_192));
      for (const path of [file, link]) expect(hasContent(path), path).to.equal(true);
    }));
});
