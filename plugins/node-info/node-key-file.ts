import { readdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import {
  createSigner,
  decodeBase64Url,
  encodeBase64Url,
  keyIdOf,
  openOrdinaryFile,
  readPart,
  replaceSecretFile,
  SEED_BYTES,
  writeSecretFile,
} from '../../kernel/internal-api.ts';
import { type Random, ServiceError } from '../../kernel/plugin-api.ts';

/** The mode bits that give anybody but the owner access to a file. */
const SHARED_MODE = 0o077;
/** A larger file holds no key. */
const MOST_BYTES = 1_024;

/**
 * Reads the node's private key from its file; undefined if the file is missing. Throws `unavailable` with a hint for a
 * file that cannot be read, that others can read, or that contains no key.
 */
export const readNodeKey = async (path: string): Promise<Uint8Array | undefined> => {
  const text = await readOwnText(path).catch((cause: unknown) => {
    if (cause instanceof ServiceError && cause.code === 'unavailable') throw cause;
    throw unreadable(path, cause);
  });
  if (text === undefined) return undefined;
  const seed = decodeBase64Url(text.trim());
  if (seed?.length === SEED_BYTES) return seed;
  throw new ServiceError('unavailable', `the private key file ${path} does not hold a private key`, {
    hint:
      'put the file back from the copy that you keep of it; only when there is none, remove it and run ' +
      '"fact-memory-node node-key create"',
  });
};

const readOwnText = async (path: string): Promise<string | undefined> => {
  const file = await openOrdinaryFile(path);
  if (file === undefined) return undefined;
  try {
    const { mode } = await file.stat();
    // On systems without owners and groups the mode has no meaning.
    if (process.platform !== 'win32' && (mode & SHARED_MODE) !== 0) throw sharedFile(path);
    return (await readPart(file, 0, MOST_BYTES)).toString('utf8');
  } finally {
    await file.close();
  }
};

/**
 * Replaces the key in the file by a new one, and returns both. First moves the old one beside it, under its name with
 * `.retired-` and the beginning of the digest of its public key. So a crash loses neither.
 */
export const rotateNodeKey = async (
  path: string,
  random: Random,
): Promise<{ readonly retired: Uint8Array; readonly current: Uint8Array }> => {
  const retired = await readNodeKey(path);
  if (retired === undefined) throw new ServiceError('lookup', `there is no private key file ${path}`);
  const current = random.bytes(SEED_BYTES);
  // An interrupted earlier attempt may have moved it already.
  await writeSecretFile(
    `${path}${RETIRED}${keyIdOf(createSigner(retired).publicKey)}`,
    encodeBase64Url(retired),
    random,
  );
  await replaceSecretFile(path, encodeBase64Url(current), random);
  return { retired, current };
};

/** Loads the keys that `rotateNodeKey` has moved aside, in no order, and those placed there by hand. */
export const loadRetiredKeys = async (path: string): Promise<Uint8Array[]> => {
  const folder = dirname(path);
  const names = await readdir(folder).catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT') return [];
    throw error;
  });
  const retired = names.filter((name) => name.startsWith(`${basename(path)}${RETIRED}`));
  const seeds = await Promise.all(retired.map((name) => readNodeKey(join(folder, name))));
  return seeds.filter((seed) => seed !== undefined);
};

const RETIRED = '.retired-';

/**
 * Generates a key in a new file that only its owner can read. Simultaneous calls, in any processes, agree on the first
 * file.
 */
export const drawNodeKey = async (path: string, random: Random): Promise<Uint8Array> => {
  await writeSecretFile(path, encodeBase64Url(random.bytes(SEED_BYTES)), random);
  const seed = await readNodeKey(path);
  if (seed === undefined) throw new ServiceError('unavailable', `the private key file ${path} could not be kept`);
  return seed;
};

const sharedFile = (path: string): ServiceError =>
  new ServiceError('unavailable', `the private key file ${path} can be read or changed by others than its owner`, {
    hint: `take their rights away: chmod 600 ${path}`,
  });

const unreadable = (path: string, cause: unknown): ServiceError => {
  const { code, message } = cause as NodeJS.ErrnoException;
  const reason = cause instanceof ServiceError ? 'is not a regular file' : `cannot be read (${code ?? message})`;
  return new ServiceError('unavailable', `the private key file ${path} ${reason}`, {
    hint: 'it must be a file that belongs to the user of the node; put back the copy that you keep of it',
    cause,
  });
};

const codeOf = (error: unknown): unknown => (error as { readonly code?: unknown }).code;
