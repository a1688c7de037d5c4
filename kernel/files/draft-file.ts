import { constants, copyFile, link, readdir, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Random } from '../crypto/random.ts';

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const END = '.partial';

/**
 * Returns the path of a new draft of a file, in the same folder. The dot keeps a draft from readers of all files that
 * begin with the name, such as those of retired keys.
 */
export const newDraft = (path: string, random: Pick<Random, 'uuid'>): string =>
  join(dirname(path), `${startOf(path)}${random.uuid()}${END}`);

/** Removes the drafts that killed processes have left, and also one that another process is writing at the moment. */
export const removeDrafts = async (path: string): Promise<void> => {
  const start = startOf(path);
  // A user may write a file into a folder that it may not list.
  const names = await readdir(dirname(path)).catch(() => []);
  const drafts = names.filter(
    (name) => name.startsWith(start) && name.endsWith(END) && UUID.test(name.slice(start.length, -END.length)),
  );
  for (const name of drafts) await rm(join(dirname(path), name), { force: true });
};

/**
 * Removes earlier drafts, and runs `work` with the path of a new one, which it removes in the end. Runs it again with
 * another draft when another process has begun to write the same file, and has taken this one for that of a killed
 * process.
 */
export const withDraft = async <T>(
  path: string,
  random: Pick<Random, 'uuid'>,
  work: (draft: string) => Promise<T>,
): Promise<T> => {
  await removeDrafts(path);
  for (let attempt = 1; ; attempt += 1) {
    const draft = newDraft(path, random);
    try {
      return await work(draft);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || attempt === MOST_ATTEMPTS) throw error;
    } finally {
      await rm(draft, { force: true });
    }
  }
};

/** Each other process takes a draft away at most once. */
const MOST_ATTEMPTS = 100;

const startOf = (path: string): string => `.${basename(path)}.`;

const NO_HARD_LINKS: ReadonlySet<unknown> = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS']);

/**
 * Publishes a draft under its final name. Rejects with `EEXIST` where there is a file. A hard link is atomic, but some
 * file systems do not support it.
 */
export const publishDraft = async (draft: string, path: string): Promise<void> => {
  try {
    await link(draft, path);
  } catch (error) {
    if (!NO_HARD_LINKS.has((error as NodeJS.ErrnoException).code)) throw error;
    await copyFile(draft, path, constants.COPYFILE_EXCL);
  }
};
