import { lstat, mkdir, open, readFile, rename } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { isDiskFull } from '../../ports/full-disk.ts';
import { ServiceError } from '../../ports/ports.ts';
import type { Random } from '../crypto/random.ts';
import { publishDraft, withDraft } from './draft-file.ts';
import { readOrdinaryFile } from './ordinary-file.ts';
import { syncPath } from './sync-path.ts';

type DraftNames = Pick<Random, 'uuid'>;

/** The minimum length of a key that a node accepts. */
const MIN_SECRET_LENGTH = 16;
/** A larger file holds no key, and might fill the memory. */
const MOST_BYTES = 64 * 1024;

/**
 * Writes a secret to a new file that only its owner may read. Returns false, without a change, when the file exists.
 * The file appears complete or not at all, so that a crash never leaves a partial secret. Of several concurrent calls,
 * in any processes, one returns true. Creates a missing folder.
 *
 * `putToUse` runs at most once, when the secret is on disk and before the file appears. So a crash leaves no file with
 * a secret that is not in use.
 */
export const writeSecretFile = (
  path: string,
  secret: string,
  random: DraftNames,
  putToUse: () => Promise<void> = async () => {},
): Promise<boolean> => {
  let used: Promise<void> | undefined;
  return throughDraft(path, secret, random, async (draft) => {
    if (await isThere(path)) return false;
    used ??= putToUse();
    await used;
    try {
      await publishDraft(draft, path);
      return true;
    } catch (error) {
      if (codeOf(error) === 'EEXIST') return false;
      throw error;
    }
  });
};

const isThere = (path: string): Promise<boolean> =>
  lstat(path).then(
    () => true,
    () => false,
  );

/** Replaces the secret of an existing file. A crash leaves either the old secret or the new one. */
export const replaceSecretFile = (path: string, secret: string, random: DraftNames): Promise<void> =>
  throughDraft(path, secret, random, (draft) => rename(draft, path));

/**
 * Reads the secret of a file; undefined for a missing file. Throws `validation` for an invalid content, and for a file
 * that cannot be read or is not a regular one. The error names the path, and ends the hint with `otherwise`, the remedy
 * of a user who has no copy of the secret. It is never `unavailable`, which commands take for a node that is down.
 */
export const readSecretFile = (path: string, otherwise = ''): Promise<string | undefined> =>
  secretOf(path, otherwise, async () => (await readOrdinaryFile(path, MOST_BYTES))?.toString('utf8'));

/** As `readSecretFile`, for a path that the user of a command has named: it may also be a pipe. */
export const readNamedSecret = (path: string): Promise<string | undefined> =>
  secretOf(path, '', () => readFile(path, 'utf8'));

const secretOf = async (
  path: string,
  otherwise: string,
  read: () => Promise<string | undefined>,
): Promise<string | undefined> => {
  const text = await read().catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw unreadable(path, otherwise, error);
  });
  if (text === undefined) return undefined;
  const secret = text.trim();
  if (secret.length >= MIN_SECRET_LENGTH && !/\s/.test(secret)) return secret;
  throw new ServiceError('validation', `${path} holds no key`, {
    hint: `put the key back into the file, alone on one line${otherwise}`,
  });
};

const unreadable = (path: string, otherwise: string, cause: unknown): ServiceError => {
  const { code, message } = cause as NodeJS.ErrnoException;
  // The refusals of `readOrdinaryFile` name the path.
  const told = cause instanceof ServiceError ? message : `${path} cannot be read (${code ?? message})`;
  return new ServiceError('validation', told, {
    hint: `it must be a file that the user of this program may read${otherwise}`,
    cause,
  });
};

const throughDraft = async <T>(
  path: string,
  secret: string,
  random: DraftNames,
  place: (draft: string) => Promise<T>,
): Promise<T> => {
  const folder = dirname(path);
  await mkdir(folder, { recursive: true });
  try {
    // An earlier draft may hold a secret that is in use.
    return await withDraft(path, random, async (draft) => {
      await writeDurably(draft, `${secret}\n`);
      const placed = await place(draft);
      await syncPath(folder);
      return placed;
    });
  } catch (error) {
    throw isDiskFull(error) ? fullDisk(path, error) : error;
  }
};

/** Names no folder, because callers over the network may see it. */
const fullDisk = (path: string, cause: unknown): ServiceError =>
  new ServiceError('unavailable', `the file ${basename(path)} cannot be written, because its disk is full`, {
    hint: 'free space on the disk, and try again',
    cause,
  });

const writeDurably = async (path: string, text: string): Promise<void> => {
  const file = await open(path, 'wx', 0o600);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
};

const codeOf = (error: unknown): unknown => (error as { readonly code?: unknown }).code;
