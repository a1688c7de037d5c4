import { hkdfSync } from 'node:crypto';
import { dirname } from 'node:path';
import { createSigner, decodeBase64Url, encodeBase64Url, removeDrafts, SEED_BYTES } from '../../kernel/internal-api.ts';
import {
  type NodeNotes,
  type Principal,
  type Random,
  requirePermission,
  ServiceError,
  type SignatureWork,
} from '../../kernel/plugin-api.ts';
import { listKeys } from './key-history.ts';
import { type HeldKey, type HeldKeys, LiveIdentity } from './live-identity.ts';
import type { NodeKeys, RotatedNodeKey } from './node-info-api.ts';
import { drawNodeKey, loadRetiredKeys, readNodeKey, rotateNodeKey } from './node-key-file.ts';

export interface NodeKeySettings {
  /** base64url of the 32-byte seed; empty to use the file. */
  readonly privateKey: string;
  readonly privateKeyFile: string;
}

/** The name of the note in the store that holds the last used public key. */
const NOTE = 'node-key';

export interface IdentityParts {
  readonly settings: NodeKeySettings;
  readonly random: Random;
  readonly notes: NodeNotes;
  readonly work: SignatureWork;
  /** Called if the node signs with another key than at its last start. Keys are base64url, as in the metadata. */
  changed(keys: RotatedNodeKey): Promise<void>;
}

/**
 * Opens the identity from the configured key, or else from the file. A new key is generated only for a store that never
 * had one. If the file is missing later, it was lost, and a new key would change the node's identity, so this throws
 * `unavailable`. Retired keys always come from the files beside it.
 */
export const openNodeIdentity = async (parts: IdentityParts): Promise<LiveIdentity> => {
  const { settings, random, notes, work, changed } = parts;
  const { privateKey, privateKeyFile } = settings;
  // A killed first start or rotation has left a key in a draft. The folder may be for reading only.
  if (privateKey === '') await removeDrafts(privateKeyFile).catch(() => {});
  const seed =
    privateKey !== ''
      ? seedOf(privateKey)
      : ((await findNodeKey(privateKeyFile, notes)) ?? (await drawNodeKey(privateKeyFile, random)));
  const keys = await heldKeys(seed, privateKeyFile);
  const { publicKey } = keys.current;
  const before = await notes.read(NOTE);
  const listed = await listKeys(notes).catch((error: unknown) => {
    if (error instanceof ServiceError && error.code === 'unavailable') throw error;
    // A damaged list must not stop the commands that look at a damaged store.
    return [];
  });
  if (before !== publicKey) {
    await notes.write(NOTE, publicKey);
    if (before !== undefined) await changed({ retiredPublicKey: before, publicKey });
  }
  const earlier = [...listed.map(({ public_key }) => public_key), ...(before === undefined ? [] : [before])];
  return new LiveIdentity(keys, work, earlier);
};

const heldKeys = async (seed: Uint8Array, privateKeyFile: string): Promise<HeldKeys> => {
  const current = identify(seed);
  const others = (await loadRetiredKeys(privateKeyFile)).map(identify);
  // A rotation that was interrupted has already copied the current key to the retired ones.
  return { current, retired: others.filter(({ publicKey }) => publicKey !== current.publicKey) };
};

/** Returns the keys in the files at present; undefined if a setting gives the key, or the file is missing. */
export const readHeldKeys = async ({ privateKey, privateKeyFile }: NodeKeySettings): Promise<HeldKeys | undefined> => {
  if (privateKey !== '') return undefined;
  const seed = await readNodeKey(privateKeyFile);
  return seed === undefined ? undefined : heldKeys(seed, privateKeyFile);
};

/** Throws the problems that would prevent opening the identity. */
export const inspectNodeKey = async (
  { privateKey, privateKeyFile }: NodeKeySettings,
  notes: NodeNotes | undefined,
  probeFolder: (path: string) => void,
): Promise<void> => {
  if (privateKey !== '') return;
  probeFolder(dirname(privateKeyFile));
  await (notes === undefined ? readNodeKey(privateKeyFile) : findNodeKey(privateKeyFile, notes));
};

/** Returns the key in the file, or undefined if none was ever generated. Throws for a lost or unusable file. */
const findNodeKey = async (path: string, notes: NodeNotes): Promise<Uint8Array | undefined> => {
  const found = await readNodeKey(path);
  if (found !== undefined) return found;
  const hadKey = (await notes.read(NOTE)) !== undefined;
  if (!hadKey) return undefined;
  // Another process may have generated the first key since this one looked for the file.
  const late = await readNodeKey(path);
  if (late !== undefined) return late;
  throw new ServiceError('unavailable', `the node's private key is missing: there is no file ${path}`, {
    hint:
      'put back your copy of the file (a backup has it only if it was made with --with-key), ' +
      'or set SVC_NODE_PRIVATE_KEY; ' +
      'when the key is lost for good, run "fact-memory-node node-key create"',
  });
};

/** Administers the key, whether a file or a setting gives it. */
export const createNodeKeys = (
  { settings, random, notes }: Omit<IdentityParts, 'changed' | 'work'>,
  /** Records a rotation, and notifies the processes of the node. */
  rotatedBy: (rotated: RotatedNodeKey, actor: Principal) => Promise<void>,
): NodeKeys => ({
  async rotate(caller) {
    requirePermission(caller, 'admin');
    if (settings.privateKey !== '') {
      throw new ServiceError('conflict', 'the private key is given by SVC_NODE_PRIVATE_KEY and not kept in a file', {
        hint: `change the variable, and keep the old value in a file ${settings.privateKeyFile}.retired-1, mode 600, for what it signed; then start the processes again, one after another`,
      });
    }
    const { retired, current } = await rotateNodeKey(settings.privateKeyFile, random);
    const rotated = { retiredPublicKey: identify(retired).publicKey, publicKey: identify(current).publicKey };
    await notes.write(NOTE, rotated.publicKey);
    await rotatedBy(rotated, caller);
    return rotated;
  },
});

const identify = (seed: Uint8Array): HeldKey => {
  const signer = createSigner(seed);
  return {
    signer,
    publicKey: encodeBase64Url(signer.publicKey),
    deriveSecret: (purpose) => new Uint8Array(hkdfSync('sha256', seed, '', purpose, DERIVED_BYTES)),
  };
};

const DERIVED_BYTES = 32;

const seedOf = (text: string): Uint8Array => {
  const seed = decodeBase64Url(text);
  if (seed?.length === SEED_BYTES) return seed;
  throw new ServiceError('validation', `SVC_NODE_PRIVATE_KEY is not the base64url form of ${SEED_BYTES} bytes`, {
    hint: 'give the 32-byte Ed25519 seed in base64url without padding, or leave the variable empty',
  });
};
