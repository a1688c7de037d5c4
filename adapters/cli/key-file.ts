import { randomBytes } from 'node:crypto';
import {
  closeSync,
  constants,
  copyFileSync,
  fsyncSync,
  linkSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { ServiceError } from '../../ports/ports.ts';
import { createFolder } from '../files/create-folder.ts';

const KEY_BYTES = 32;
/** The shortest key that a node knows. */
const MIN_KEY_LENGTH = 16;

/** A key nobody can guess: 64 hexadecimal digits, safe in a shell, a header and a URL. */
export const drawKey = (): string => randomBytes(KEY_BYTES).toString('hex');

/**
 * Writes a key to a file that only its owner may read. Answers false, and leaves the file as it is, when there is one
 * already. The file appears under its name complete or not at all, so that a crash never leaves half a key behind.
 */
export const writeKeyFile = (path: string, key: string): boolean => {
  createFolder(dirname(path));
  const draft = join(dirname(path), `.${basename(path)}.${randomBytes(6).toString('hex')}`);
  writeFileSync(draft, `${key}\n`, { mode: 0o600, flag: 'wx', flush: true });
  try {
    publish(draft, path);
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  } finally {
    rmSync(draft);
    syncFolder(dirname(path));
  }
};

const codeOf = (error: unknown): string | undefined => (error as NodeJS.ErrnoException).code;

const NO_HARD_LINKS = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS']);

/** Both ways refuse to replace a file; only the link is atomic, and some file systems have none. */
const publish = (draft: string, path: string): void => {
  try {
    linkSync(draft, path);
  } catch (error) {
    if (!NO_HARD_LINKS.has(codeOf(error) ?? '')) throw error;
    copyFileSync(draft, path, constants.COPYFILE_EXCL);
  }
};

/** Makes the new name durable before anything relies on it. */
const syncFolder = (folder: string): void => {
  if (process.platform === 'win32') return;
  const descriptor = openSync(folder, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
};

/** The key in a file, or null when there is no such file. */
export const readKeyFile = (path: string): string | null => {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null;
    throw error;
  }
  const key = text.trim();
  if (key.length >= MIN_KEY_LENGTH && !/\s/.test(key)) return key;
  throw new ServiceError('validation', `${path} holds no key`, {
    hint: 'put the key back into the file, alone on one line, or remove the file, and a new key is generated',
  });
};
