import { createReadStream, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { assembleFile } from '../../../adapters/sqlite/assemble-file.ts';
import { INCREMENT_FORMAT, writeIncrement } from '../../../adapters/sqlite/increment-file.ts';
import { inTemporaryFolder } from '../../kit/temporary-folder.ts';

const PAGE_BYTES = 512;

describe('a store that is put together from increments', () => {
  it('has no step behind the first one that is too late, even one with an earlier time', () =>
    inTemporaryFolder(async (folder) => {
      const chain = 'one';
      mkdirSync(join(folder, chain));
      const files: string[] = [];
      let previous: string | null = null;
      for (const [number, atMs] of [1_000, 5_000, 2_000].entries()) {
        const header = { format: INCREMENT_FORMAT, chain, number, previous, page_bytes: PAGE_BYTES } as const;
        const pages = (): [number, Buffer][] => [[1, Buffer.alloc(PAGE_BYTES, number)]];
        const written = await writeIncrement(join(folder, chain), header, [
          { atMs, databasePages: 1, count: 1, pages },
        ]);
        previous = written.sha256;
        files.push(join(folder, chain, written.name));
      }
      const increments = async function* () {
        for (const name of files) yield { name, content: createReadStream(name) };
      };
      const { atMs } = await assembleFile({ chain, increments: increments(), untilMs: 3_000, folder: undefined });
      expect(atMs).to.equal(1_000);
    }));
});
