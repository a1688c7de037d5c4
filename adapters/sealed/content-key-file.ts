import { hkdfSync, randomBytes } from 'node:crypto';
import { constants, type FileHandle, open, rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import { isDiskFull } from '../../ports/full-disk.ts';
import { type KeySource, ServiceError } from '../../ports/ports.ts';
import { syncPath } from '../files/durable-file.ts';
import { type ContentKeys, rootFrom } from './content-keys.ts';
import { operatorKeyId } from './data-keys.ts';
import { endFormer, nameFormer, removeFormer } from './former-key-file.ts';
import { openSecret, sealSecret } from './seal-stream.ts';
import { readTree, spellTree } from './spelled-tree.ts';

const FORMAT = 1;
const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const MODE = 0o600;
/** Enough for some 180,000 erasures. Node.js cannot hold a longer text. */
const MOST_BYTES = 500 * 1024 * 1024;

/** The clear part of the file, which tells files of the same store apart without a key. */
export interface KeyFileHeader {
  readonly id: string;
  readonly version: number;
  /** The id of the key of the operator that opens the file. */
  readonly keyId: string;
  /** True until a store says that it belongs to this file, so that no second store uses the same keys. */
  readonly isUnused: boolean;
}

interface KeyFileJson {
  readonly format: number;
  readonly id: string;
  readonly version: number;
  readonly key_id: string;
  readonly unused?: boolean;
  readonly sealed_keys: string;
}

/** Spells the keys, sealed with the present key of the operator. */
export const spellKeys = async (keys: ContentKeys, source: KeySource, { isUnused = false } = {}): Promise<string> => {
  const [present] = await source.readKeys();
  if (present === undefined) throw new ServiceError('unavailable', 'the source of the encryption key gives no key');
  const header: KeyFileHeader = { id: keys.id, version: keys.version, keyId: operatorKeyId(present), isUnused };
  const secret = spellSecret(keys);
  const sealed = sealSecret(secret, wrappingOf(present), placeOf(header), randomBytes(NONCE_BYTES));
  secret.fill(0);
  const { id, version, keyId } = header;
  if (sealed.length * 4 > (MOST_BYTES - 1_000) * 3) throw tooLarge();
  return `${JSON.stringify({ format: FORMAT, id, version, key_id: keyId, ...(isUnused && { unused: true }), sealed_keys: sealed.toString('base64') })}\n`;
};

/** Opens a spelled file. `place` names it in errors. Rejects with `conflict` when no key of the operator opens it. */
export const openKeys = async (text: string, source: KeySource, place: string): Promise<ContentKeys> => {
  const json = parseFile(text, place);
  const header = headerOf(json);
  const known = await source.readKeys();
  const key = known.find((one) => operatorKeyId(one) === header.keyId);
  if (key === undefined) throw otherKey(place, header.keyId, known[0]);
  const secret = openSecret(Buffer.from(json.sealed_keys, 'base64'), wrappingOf(key), placeOf(header));
  if (secret === undefined) throw damaged(place);
  const read = readSecret(secret);
  secret.fill(0);
  const { id, version } = header;
  return { id, version, ...read };
};

/** The first line of the sealed part, as JSON. The bytes of the key trees follow, which are nearly the whole part. */
interface SecretHead {
  readonly label_key: string;
  readonly period: number;
  /** The roots in order, each with the length of its tree. */
  readonly roots: readonly { readonly id: number; readonly bytes: number }[];
}

const spellSecret = ({ labelKey, period, roots }: ContentKeys): Buffer => {
  const trees = roots.map(({ tree }) => spellTree(tree.nodes()));
  const head: SecretHead = {
    label_key: Buffer.from(labelKey).toString('base64'),
    period,
    roots: roots.map(({ id }, at) => ({ id, bytes: trees[at]?.length ?? 0 })),
  };
  const secret = Buffer.concat([Buffer.from(`${JSON.stringify(head)}\n`), ...trees]);
  for (const tree of trees) tree.fill(0);
  return secret;
};

/** Reads the output of `spellSecret`. The caller has verified its seal. */
const readSecret = (secret: Buffer): Pick<ContentKeys, 'labelKey' | 'period' | 'roots'> => {
  const end = secret.indexOf('\n');
  const head = JSON.parse(secret.toString('utf8', 0, end)) as SecretHead;
  let at = end + 1;
  const roots = head.roots.map(({ id, bytes }) => {
    at += bytes;
    return rootFrom(id, readTree(secret.subarray(at - bytes, at)));
  });
  return { labelKey: Buffer.from(head.label_key, 'base64'), period: head.period, roots };
};

/** Reads the clear part of a spelled file. */
export const readKeyFileHeader = (text: string, place: string): KeyFileHeader => headerOf(parseFile(text, place));

/** Reads the text of a key file; undefined if there is none. Rejects where there is a folder or a pipe. */
export const readKeyFile = async (path: string): Promise<string | undefined> => {
  let file: FileHandle | undefined;
  try {
    // Opening a pipe that nobody writes to would wait without this flag, which Windows has not.
    file = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    const found = await file.stat();
    if (!found.isFile()) throw new Error('not a regular file');
    if (found.size > MOST_BYTES) throw new Error('too large');
    return await file.readFile('utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw unusable(path, error);
  } finally {
    await file?.close();
  }
};

/**
 * Replaces a key file, and resolves when that is durable. At each moment the path names either the old file or the new
 * one. Zeroes the bytes of the old one afterwards, because destroyed keys must not be found in free blocks. After a
 * kill, the next call zeroes them.
 */
export const replaceKeyFile = async (path: string, text: string): Promise<void> => {
  const next = `${path}.next`;
  const old = await open(path, 'r+').catch(() => undefined);
  try {
    await removeFormer(path, next);
    const file = await open(next, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, MODE);
    try {
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
    await nameFormer(path);
    await rename(next, path);
    if (process.platform !== 'win32') await syncPath(dirname(path));
    if (old !== undefined) await endFormer(path, old);
  } catch (error) {
    throw unusable(path, error);
  } finally {
    await old?.close();
  }
};

/** Zeroes the former file that a killed process left. Rejects as `readKeyFile` does. */
export const zeroFormerKeys = (path: string): Promise<void> =>
  removeFormer(path).catch((error: unknown) => {
    throw unusable(path, error);
  });

const parseFile = (text: string, place: string): KeyFileJson => {
  let parsed: Partial<KeyFileJson>;
  try {
    parsed = Object(JSON.parse(text)) as Partial<KeyFileJson>;
  } catch {
    throw damaged(place);
  }
  if (typeof parsed.format === 'number' && parsed.format > FORMAT) throw newer(place);
  const isWhole =
    parsed.format === FORMAT &&
    typeof parsed.id === 'string' &&
    Number.isSafeInteger(parsed.version) &&
    typeof parsed.key_id === 'string' &&
    typeof parsed.sealed_keys === 'string';
  if (!isWhole) throw damaged(place);
  return parsed as KeyFileJson;
};

const headerOf = ({ id, version, key_id: keyId, unused }: KeyFileJson): KeyFileHeader => ({
  id,
  version,
  keyId,
  isUnused: unused === true,
});

/** The clear part is authenticated, so that an old tree cannot pass as a newer version. */
const placeOf = ({ id, version, keyId }: Omit<KeyFileHeader, 'isUnused'>): string =>
  JSON.stringify(['content keys', id, version, keyId]);

/** Derived, so that this use of the operator's key stays apart from the sealing of backups. */
const wrappingOf = (key: Uint8Array): Buffer =>
  Buffer.from(hkdfSync('sha256', key, '', 'fact-memory content keys 1', KEY_BYTES));

const otherKey = (place: string, keyId: string, present: Uint8Array | undefined): ServiceError =>
  new ServiceError(
    'conflict',
    `the content keys in ${place} are sealed with the key ${keyId}, and the present key is ` +
      `${present === undefined ? 'missing' : operatorKeyId(present)}`,
    {
      hint:
        'give that key in SVC_ENCRYPTION_KEY_FILE or SVC_ENCRYPTION_KEY_COMMAND, on a line after the present key; ' +
        'without it nobody opens the contents of this store',
      members: { key_id: keyId },
    },
  );

const damaged = (place: string): ServiceError =>
  new ServiceError('unavailable', `the content keys in ${place} are damaged`, {
    hint: 'put back the copy that lies beside your backups, or restore a backup with it',
  });

/** A file that nobody reads any more would lose the store. */
const tooLarge = (): ServiceError =>
  new ServiceError('unavailable', 'the file of content keys would grow too large by the destruction of further keys', {
    hint: 'run "fact-memory-node encryption rotate" with the node stopped: it draws new keys, whose file is small',
  });

const newer = (place: string): ServiceError =>
  new ServiceError('unavailable', `the content keys in ${place} have a form that this program does not know`, {
    hint: 'use the version that wrote them or a newer one',
  });

/** The error for a file of content keys that the system does not let the node read or write. */
export const unusable = (path: string, cause: unknown): ServiceError =>
  new ServiceError(
    'unavailable',
    `the content keys in ${path} cannot be used (${(cause as NodeJS.ErrnoException).code ?? (cause as Error).message})`,
    {
      hint: isDiskFull(cause)
        ? 'free space on its disk'
        : 'it must be a file, and the user of the node must be able to read and write it and its folder',
      cause,
    },
  );
