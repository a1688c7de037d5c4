import { mkdir, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { openOrdinaryFile } from './ordinary-file.ts';

/** Ids of ended things, in a file beside the store. So an older state of the store does not bring them back. */
export interface IdJournal {
  /** Returns all ids. */
  read(): Promise<ReadonlySet<string>>;
  /** Adds the ids that are not there yet. Resolves when they are on disk. */
  add(ids: readonly string[]): Promise<void>;
}

const OWNER_ONLY = 0o600;
const ID = /^[A-Za-z0-9:_.-]{1,200}$/;

/** Opens a journal. Several processes may add to it. The file comes with the first id. */
export const createIdJournal = (file: string): IdJournal => {
  let known: Set<string> | undefined;
  const read = async (): Promise<Set<string>> => {
    const found = new Set<string>();
    const handle = await openOrdinaryFile(file);
    if (handle === undefined) return found;
    try {
      // A crash may have cut the last line, which then has no end and no use.
      for await (const line of handle.readLines({ autoClose: false })) if (ID.test(line)) found.add(line);
    } finally {
      await handle.close();
    }
    return found;
  };
  return {
    async read() {
      known = await read();
      return known;
    },
    async add(ids) {
      known ??= await read();
      const added = ids.filter((id) => ID.test(id) && known?.has(id) === false);
      if (added.length === 0) return;
      await mkdir(dirname(file), { recursive: true, mode: 0o700 });
      const handle = await open(file, 'a', OWNER_ONLY);
      try {
        // Starts a new line, because a crash may have cut the last one.
        await handle.appendFile(`\n${added.join('\n')}\n`);
        await handle.sync();
      } finally {
        await handle.close();
      }
      for (const id of added) known.add(id);
    },
  };
};
