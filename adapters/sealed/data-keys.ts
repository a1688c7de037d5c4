import { createHash, hkdfSync, randomBytes } from 'node:crypto';
import { type KeySource, OPERATOR_KEY_BYTES, ServiceError } from '../../ports/ports.ts';
import { openSecret, sealSecret } from './seal-stream.ts';

const FORMAT = 1;
const DATA_KEY_BYTES = 32;
const NONCE_BYTES = 12;
const ID_LENGTH = 16;

/** The data key of a folder, sealed with a key of the operator. */
export interface Seal {
  /** The id of the key of the operator that opens it. */
  readonly keyId: string;
  readonly sealedKey: Buffer;
}

interface OperatorKey {
  readonly id: string;
  /** Opens and seals data keys. Derived, so that further uses of the operator's key stay apart from this one. */
  readonly wrapping: Buffer;
}

/** Draws, seals and opens the data keys of folders. */
export interface DataKeys {
  /** Draws a data key for a folder and seals it with the present key. */
  draw(folder: string): Promise<{ readonly seal: Seal; readonly dataKey: Uint8Array }>;
  /** Opens the seal of a folder. Rejects with `conflict` and the id of the key for one that no key opens. */
  open(folder: string, seal: Seal): Promise<Uint8Array>;
  /**
   * Reads the keys once, for many folders. Returns a function that seals the data key of a folder with the present key,
   * and gives undefined when it already is. It throws as `open` rejects.
   */
  rewrapping(): Promise<(folder: string, seal: Seal) => Seal | undefined>;
}

export const createDataKeys = (source: KeySource): DataKeys => {
  let known: readonly OperatorKey[] = [];
  const read = async (): Promise<OperatorKey> => {
    known = (await source.readKeys()).map(operatorKey);
    const [present] = known;
    if (present === undefined) throw new ServiceError('unavailable', 'the source of the encryption key gives no key');
    return present;
  };
  const open = async (folder: string, seal: Seal): Promise<Uint8Array> => {
    // Asks the source once more for an unknown key: the operator may have put it back.
    if (!known.some(({ id }) => id === seal.keyId)) await read();
    return openKnown(folder, seal);
  };
  const openKnown = (folder: string, seal: Seal): Uint8Array => {
    const key = known.find(({ id }) => id === seal.keyId);
    if (key === undefined) throw otherKey(folder, seal.keyId, known[0]?.id);
    const dataKey = openSecret(seal.sealedKey, key.wrapping, folder);
    if (dataKey?.length === DATA_KEY_BYTES) return dataKey;
    throw damagedSeal(folder);
  };
  const sealWith = (folder: string, { id, wrapping }: OperatorKey, dataKey: Uint8Array): Seal => ({
    keyId: id,
    sealedKey: sealSecret(dataKey, wrapping, folder, randomBytes(NONCE_BYTES)),
  });
  return {
    open,
    draw: async (folder) => {
      const present = await read();
      const dataKey = randomBytes(DATA_KEY_BYTES);
      return { seal: sealWith(folder, present, dataKey), dataKey };
    },
    rewrapping: async () => {
      const present = await read();
      return (folder, seal) => {
        // Opened in any case: a seal can name the present key and hold nothing that it opens.
        const dataKey = openKnown(folder, seal);
        return seal.keyId === present.id ? undefined : sealWith(folder, present, dataKey);
      };
    },
  };
};

/** A damaged seal opens nothing, so a form that is not ours is damage as well. */
export const readSeal = (folder: string, text: string): Seal => {
  const { format, key_id: keyId, sealed_key: sealedKey } = parse(text);
  if (typeof format === 'number' && format > FORMAT) throw newer(folder);
  if (
    format !== FORMAT ||
    typeof keyId !== 'string' ||
    !/^[0-9a-f]{16}$/.test(keyId) ||
    typeof sealedKey !== 'string'
  ) {
    throw damagedSeal(folder);
  }
  return { keyId, sealedKey: Buffer.from(sealedKey, 'base64') };
};

export const spellSeal = ({ keyId, sealedKey }: Seal): string =>
  `${JSON.stringify({ format: FORMAT, key_id: keyId, sealed_key: sealedKey.toString('base64') })}\n`;

const GIVE_KEY = 'give that key in SVC_ENCRYPTION_KEY_FILE or SVC_ENCRYPTION_KEY_COMMAND';

export const noKeyAtAll = (folder: string, keyId: string): ServiceError =>
  lacking(`${folder} is sealed with the key ${keyId}, and this node has no key`, keyId, GIVE_KEY);

/** Returns the id of a key: the beginning of a digest, which tells nothing of a random key. */
export const operatorKeyId = (key: Uint8Array): string =>
  createHash('sha256').update('fact-memory operator key\0').update(key).digest('hex').slice(0, ID_LENGTH);

const operatorKey = (key: Uint8Array): OperatorKey => {
  if (key.length !== OPERATOR_KEY_BYTES) {
    throw new ServiceError('validation', `the source of the encryption key gives a key of other than 32 bytes`);
  }
  return {
    id: operatorKeyId(key),
    wrapping: Buffer.from(hkdfSync('sha256', key, '', 'fact-memory data keys 1', DATA_KEY_BYTES)),
  };
};

const otherKey = (folder: string, keyId: string, present: string | undefined): ServiceError =>
  lacking(
    `${folder} is sealed with the key ${keyId}, and the present key is ${present}`,
    keyId,
    `${GIVE_KEY}, on a line after the present key`,
  );

const lacking = (message: string, keyId: string, hint: string): ServiceError =>
  new ServiceError('conflict', message, { hint, members: { key_id: keyId } });

const damagedSeal = (folder: string): ServiceError =>
  new ServiceError('validation', `the seal of ${folder} is damaged`, { hint: 'use another backup' });

const newer = (folder: string): ServiceError =>
  new ServiceError('validation', `the seal of ${folder} has a form that this program does not know`, {
    hint: 'use the version that wrote it or a newer one',
  });

const parse = (text: string): Readonly<Record<string, unknown>> => {
  try {
    const parsed: unknown = JSON.parse(text);
    return parsed !== null && typeof parsed === 'object' ? { ...parsed } : {};
  } catch {
    return {};
  }
};
