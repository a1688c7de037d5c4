import { renameSync, writeFileSync } from 'node:fs';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { createIdJournal } from '../../../kernel/files/id-journal.ts';
import { inTemporaryFolder } from '../../kit/temporary-folder.ts';

describe('a journal of ids that somebody has edited', () => {
  it('has the ids of lines with other line ends and spaces', () =>
    inTemporaryFolder(async (folder) => {
      const file = join(folder, 'revoked-keys');
      await writeFile(file, 'one\r\ntwo \n\n three\n');
      expect([...(await createIdJournal(file, { warn: () => {} }).read())]).to.deep.equal(['one', 'two', 'three']);
    }));

  it('loses only ids that are over when it is pruned, and no line that is no id', () =>
    inTemporaryFolder(async (folder) => {
      const file = join(folder, 'spent-tokens');
      await writeFile(file, 'one\r\ntwo words\nover\n');
      const journal = createIdJournal(file, { warn: () => {} });
      await journal.prune((id) => id === 'over');
      expect([...(await journal.read())]).to.deep.equal(['one']);
      expect((await readFile(file, 'utf8')).trim().split('\n')).to.deep.equal(['one', 'two words']);
    }));

  it('loses the drafts of killed processes when it is pruned, and no other file', () =>
    inTemporaryFolder(async (folder) => {
      const file = join(folder, 'spent-tokens');
      for (const end of ['', '.4194305.partial', '.old.partial', '-more.7.partial'])
        await writeFile(file + end, 'one\n');
      await createIdJournal(file, { warn: () => {} }).prune(() => false);
      const left = ['spent-tokens', 'spent-tokens-more.7.partial', 'spent-tokens.old.partial'];
      expect((await readdir(folder)).sort()).to.deep.equal(left);
    }));

  it('is left without a draft where another process has pruned it meanwhile', () =>
    inTemporaryFolder(async (folder) => {
      const file = join(folder, 'spent-tokens');
      await writeFile(file, 'one\nover\n');
      await createIdJournal(file, { warn: () => {} }).prune((id) => {
        // The other process puts its file in the place of this one.
        renameSync(file, `${file}.former`);
        writeFileSync(file, 'one\n');
        return id === 'over';
      });
      expect((await readdir(folder)).sort()).to.deep.equal(['spent-tokens', 'spent-tokens.former']);
    }));
});
