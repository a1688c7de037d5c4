import { execFileSync } from 'node:child_process';
import { mkdir, open, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { createIdJournal } from '../../../kernel/files/id-journal.ts';
import { appendLines, DamagedLines, type JournalLine, readJournal } from '../../../kernel/files/journal-file.ts';
import { rejection } from '../../kit/rejection.ts';
import { inTemporaryFolder } from '../../kit/temporary-folder.ts';

const LONG_BYTES = 3 * 1024 * 1024;

describe('a journal beside the store', () => {
  const read = async (file: string): Promise<JournalLine[]> => {
    const lines: JournalLine[] = [];
    for await (const line of readJournal(file)) lines.push(line);
    return lines;
  };

  it('has the lines that were appended, with their numbers, also after a line that a crash has cut', () =>
    inTemporaryFolder(async (folder) => {
      const file = join(folder, 'below', 'tombstones.jsonl');
      expect(await read(file)).to.deep.equal([]);
      await appendLines(file, ['one', 'two']);
      const handle = await open(file, 'a');
      await handle.appendFile('cu');
      await handle.close();
      expect(await appendLines(file, ['ü three'], async () => 'done')).to.equal('done');
      expect(await read(file)).to.deep.equal([
        { number: 2, text: 'one' },
        { number: 3, text: 'two' },
        { number: 4, text: 'cu' },
        { number: 5, text: 'ü three' },
      ]);
    }));

  it('is named when it is a folder or a pipe, with what to do', () =>
    inTemporaryFolder(async (folder) => {
      const [directory, pipe] = [join(folder, 'tombstones.jsonl'), join(folder, 'erasures.jsonl')];
      await mkdir(directory);
      execFileSync('mkfifo', [pipe]);
      for (const file of [directory, pipe]) {
        const refused = await rejection(read(file));
        const name = file.slice(folder.length + 1);
        expect(refused.message).to.equal(`the file ${name} beside the store cannot be used (not a regular file)`);
        expect(refused['hint']).to.include('it must be a regular file');
        const { message } = await rejection(appendLines(file, ['one']));
        expect(message).to.include(`the file ${name} beside the store cannot be used`);
      }
    }));

  it('gives a line that no node wrote away without its text, however long it is', () =>
    inTemporaryFolder(async (folder) => {
      const file = join(folder, 'erasures.jsonl');
      await writeFile(file, `one\n${'x'.repeat(LONG_BYTES)}\r\n \ntwo\n${'y'.repeat(LONG_BYTES)}`);
      expect(await read(file)).to.deep.equal([
        { number: 1, text: 'one' },
        { number: 2, text: undefined },
        { number: 4, text: 'two' },
        { number: 5, text: undefined },
      ]);
    }));

  it('makes one warning of all its damaged lines, with the first of them', () =>
    inTemporaryFolder(async (folder) => {
      const file = join(folder, 'revoked-keys');
      const bad = Array.from({ length: 20 }, () => 'no id at all').join('\n');
      await writeFile(file, `one\n\n${bad}\ntwo\n`);
      const warned: unknown[] = [];
      const journal = createIdJournal(file, { warn: (_message, fields) => warned.push(fields) });
      expect([...(await journal.read())]).to.deep.equal(['one', 'two']);
      expect(warned).to.deep.equal([{ file, count: 20, lines: [3, 4, 5, 6, 7] }]);
      await journal.add(['three']);
      expect(warned).to.have.length(1);
    }));

  it('makes no warning without a damaged line', () => {
    const warned: unknown[] = [];
    new DamagedLines('revoked-keys').warn({ warn: () => warned.push('') });
    expect(warned).to.deep.equal([]);
  });
});
