import { constants, copyFile, link, mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { ServiceError } from '../../ports/ports.ts';
import type { Random } from '../crypto/random.ts';

/** The shortest key that a node takes. */
const MIN_SECRET_LENGTH = 16;

/**
 * Writes a secret to a new file that only its owner may read. Returns false, and leaves the file as it is, when there
 * is one already. The file appears under its name complete or not at all, so that a crash never leaves half a secret
 * behind; of several calls at once, in whatever processes, one returns true. A folder that is missing is made.
 */
export const writeSecretFile = (path: string, secret: string, random: Random): Promise<boolean> =>
  withDraft(path, secret, random, async (draft) => {
    try {
      await publish(draft, path);
      return true;
    } catch (error) {
      if (codeOf(error) === 'EEXIST') return false;
      throw error;
    }
  });

/** The same in place of a file that is there: a crash leaves either the old secret or the new one. */
export const replaceSecretFile = (path: string, secret: string, random: Random): Promise<void> =>
  withDraft(path, secret, random, (draft) => rename(draft, path));

/** The secret in a file, undefined when there is no such file. Throws `validation` for a file that holds none. */
export const readSecretFile = async (path: string): Promise<string | undefined> => {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
  const secret = text.trim();
  if (secret.length >= MIN_SECRET_LENGTH && !/\s/.test(secret)) return secret;
  throw new ServiceError('validation', `${path} holds no key`, {
    hint: 'put the key back into the file, alone on one line, or remove the file, and a new key is generated',
  });
};

const withDraft = async <T>(
  path: string,
  secret: string,
  random: Random,
  place: (draft: string) => Promise<T>,
): Promise<T> => {
  await mkdir(dirname(path), { recursive: true });
  const draft = `${path}.${random.uuid()}`;
  try {
    await writeDurably(draft, `${secret}\n`);
    const placed = await place(draft);
    await syncFolder(dirname(path));
    return placed;
  } finally {
    await rm(draft, { force: true });
  }
};

const NO_HARD_LINKS: ReadonlySet<unknown> = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS']);

/** Both ways refuse to replace a file; only the link is atomic, and some file systems have none. */
const publish = async (draft: string, path: string): Promise<void> => {
  try {
    await link(draft, path);
  } catch (error) {
    if (!NO_HARD_LINKS.has(codeOf(error))) throw error;
    await copyFile(draft, path, constants.COPYFILE_EXCL);
  }
};

const writeDurably = async (path: string, text: string): Promise<void> => {
  const file = await open(path, 'wx', 0o600);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
};

/** Makes the new name durable, where folders can be synced. */
const syncFolder = async (path: string): Promise<void> => {
  if (process.platform === 'win32') return;
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
};

const codeOf = (error: unknown): unknown => (error as { readonly code?: unknown }).code;
