import { constants, copyFile, link, mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import {
  createSigner,
  decodeBase64Url,
  encodeBase64Url,
  type Random,
  SEED_BYTES,
  ServiceError,
  sha256Hex,
} from '../../kernel/plugin-api.ts';

/** Bits of a file's mode that let anybody but its owner read or change it. */
const SHARED_MODE = 0o077;

/**
 * The node's private key from its file, undefined when there is no such file. Throws `unavailable` with a hint for a
 * file that others can read or that holds no key.
 */
export const readNodeKey = async (path: string): Promise<Uint8Array | undefined> => {
  let text: string;
  try {
    const { mode } = await stat(path);
    // Where there are no owners and groups the mode says nothing.
    if (process.platform !== 'win32' && (mode & SHARED_MODE) !== 0) throw sharedFile(path);
    text = await readFile(path, 'utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
  const seed = decodeBase64Url(text.trim());
  if (seed?.length === SEED_BYTES) return seed;
  throw new ServiceError('unavailable', `the private key file ${path} does not hold a private key`, {
    hint: 'restore the file from a backup; only when there is none, remove it and run "fact-memory-node node-key create"',
  });
};

/**
 * Generates a new key in the place of the one in the file. The old one stays beside it, under its name with `.retired-`
 * and the beginning of the digest of its public key, before the new one appears: a crash leaves one or the other in
 * place and loses neither. Returns both.
 */
export const rotateNodeKey = async (
  path: string,
  random: Random,
): Promise<{ readonly retired: Uint8Array; readonly current: Uint8Array }> => {
  const retired = await readNodeKey(path);
  if (retired === undefined) throw new ServiceError('lookup', `there is no private key file ${path}`);
  const current = random.bytes(SEED_BYTES);
  const draft = `${path}.${random.uuid()}`;
  try {
    await writeDurably(draft, `${encodeBase64Url(current)}\n`);
    await publish(path, `${path}${RETIRED}${keyIdOf(retired)}`).catch((error: unknown) => {
      // An attempt that broke off after this step has kept it already.
      if (codeOf(error) !== 'EEXIST') throw error;
    });
    await rename(draft, path);
    await syncFolder(dirname(path));
  } finally {
    await rm(draft, { force: true });
  }
  return { retired, current };
};

/**
 * The keys that `rotateNodeKey` has put aside, in no order. Files beside the current one that were put there by hand
 * count too.
 */
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

/** As signatures name a key: 16 hexadecimal digits of the digest of its public half (wire contract 17). */
const keyIdOf = (seed: Uint8Array): string => sha256Hex(createSigner(seed).publicKey).slice(0, 16);

/**
 * Generates a key in a new file, for its owner alone. The file appears under its name complete or not at all, so that a
 * crash never leaves half a key behind. Several calls at once, in whatever processes, agree on whichever file came
 * first.
 */
export const drawNodeKey = async (path: string, random: Random): Promise<Uint8Array> => {
  await mkdir(dirname(path), { recursive: true });
  const draft = `${path}.${random.uuid()}`;
  try {
    await writeDurably(draft, `${encodeBase64Url(random.bytes(SEED_BYTES))}\n`);
    await publish(draft, path);
    await syncFolder(dirname(path));
  } catch (error) {
    // Another process was first; its key is the node's.
    if (codeOf(error) !== 'EEXIST') throw error;
  } finally {
    await rm(draft, { force: true });
  }
  const seed = await readNodeKey(path);
  if (seed === undefined) throw new ServiceError('unavailable', `the private key file ${path} could not be kept`);
  return seed;
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

const sharedFile = (path: string): ServiceError =>
  new ServiceError('unavailable', `the private key file ${path} can be read or changed by others than its owner`, {
    hint: `take their rights away: chmod 600 ${path}`,
  });

const codeOf = (error: unknown): unknown => (error as { readonly code?: unknown }).code;
