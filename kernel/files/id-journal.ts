import { type FileHandle, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { ServiceError } from '../../ports/ports.ts';
import type { Logger } from '../log/logger.ts';
import { appendLines, DamagedLines, spelledLines } from './journal-file.ts';
import { openOrdinaryFile, readPart } from './ordinary-file.ts';
import { unusableFile } from './unusable-file.ts';

/**
 * Ids of ended things, in a file beside the store. So an older state of the store does not bring them back. Each method
 * rejects with `unavailable`, and the name of the file, where the file cannot be used.
 */
export interface IdJournal {
  /** Returns all ids. Warns of lines that are none. */
  read(): Promise<ReadonlySet<string>>;
  /** Adds the ids that are not there yet. Resolves when they are on disk. */
  add(ids: readonly string[]): Promise<void>;
  /** Removes the ids for which `isOver` returns true. Those that another process adds meanwhile stay. */
  prune(isOver: (id: string) => boolean): Promise<void>;
}

const OWNER_ONLY = 0o600;
/** Some millions of ids. A larger file is none that a node wrote, and would fill the memory. */
const MOST_BYTES = 256 * 1024 * 1024;
const DRAFT_END = /^\.\d+\.partial$/;
const ID = /^[A-Za-z0-9:_.-]{1,200}$/;

/** Opens a journal. Several processes may add to it. The file comes with the first id. */
export const createIdJournal = (file: string, log: Pick<Logger, 'warn'>): IdJournal => {
  let known: Set<string> | undefined;
  const read = async (damaged = new DamagedLines(file)): Promise<Set<string>> => {
    const found = new Set<string>();
    const handle = await openOrdinaryFile(file);
    if (handle === undefined) return found;
    try {
      await refuseHuge(handle);
      let number = 0;
      for await (const line of handle.readLines({ autoClose: false })) {
        number += 1;
        const text = line.trim();
        if (ID.test(text)) found.add(text);
        else if (text !== '') damaged.add(number);
      }
    } finally {
      await handle.close();
    }
    return found;
  };
  const add = async (ids: readonly string[]): Promise<void> => {
    known ??= await read();
    const added = ids.filter((id) => ID.test(id) && known?.has(id) === false);
    if (added.length === 0) return;
    // Repeats if another process pruned the file during the append.
    while (!(await appendLines(file, added, (handle) => isAt(file, handle))));
    for (const id of added) known.add(id);
  };
  const prune = async (isOver: (id: string) => boolean): Promise<void> => {
    await removeDrafts(file);
    const former = await openOrdinaryFile(file);
    if (former === undefined) return;
    try {
      const size = await refuseHuge(former);
      const lines = linesOf(await readPart(former, 0, size));
      // A line that is no id stays, because somebody may repair it.
      const kept = lines.filter((line) => !ID.test(line) || !isOver(line));
      if (kept.length === lines.length || !(await replaced(file, former, kept))) return;
      known = new Set(kept.filter((line) => ID.test(line)));
      await add(linesOf(await readPart(former, size, Number.MAX_SAFE_INTEGER)));
    } finally {
      await former.close();
    }
  };
  const unusable = (cause: unknown): never => {
    // An error of `appendLines` names the file already.
    throw cause instanceof ServiceError && cause.code === 'unavailable' ? cause : unusableFile(file, cause);
  };
  return {
    async read() {
      const damaged = new DamagedLines(file);
      known = await read(damaged).catch(unusable);
      damaged.warn(log);
      return known;
    },
    add: (ids) => add(ids).catch(unusable),
    prune: (isOver) => prune(isOver).catch(unusable),
  };
};

const refuseHuge = async (handle: FileHandle): Promise<number> => {
  const { size } = await handle.stat();
  if (size > MOST_BYTES) throw new Error(`larger than ${MOST_BYTES} bytes`);
  return size;
};

const linesOf = (bytes: Buffer): string[] =>
  bytes
    .toString('latin1')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');

/** Returns false if another process has replaced the file already, or has removed the draft. */
const replaced = async (file: string, former: FileHandle, ids: readonly string[]): Promise<boolean> => {
  const draft = `${file}.${process.pid}.partial`;
  await writeFile(draft, spelledLines(ids), { mode: OWNER_ONLY, flush: true });
  if (!(await isAt(file, former))) {
    await rm(draft, { force: true });
    return false;
  }
  return rename(draft, file).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error;
      return false;
    },
  );
};

/** Removes the drafts that killed processes have left, and also one of a process that prunes at the moment. */
const removeDrafts = async (file: string): Promise<void> => {
  const name = basename(file);
  const names = await readdir(dirname(file)).catch(() => []);
  const drafts = names.filter((one) => one.startsWith(name) && DRAFT_END.test(one.slice(name.length)));
  for (const draft of drafts) await rm(join(dirname(file), draft), { force: true });
};

const isAt = async (file: string, handle: FileHandle): Promise<boolean> => {
  const [there, own] = [await stat(file, { bigint: true }), await handle.stat({ bigint: true })];
  return there.ino === own.ino && there.dev === own.dev;
};
