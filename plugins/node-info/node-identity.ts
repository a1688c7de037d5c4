import { hkdfSync } from 'node:crypto';
import {
  createSigner,
  decodeBase64Url,
  encodeBase64Url,
  type Principal,
  type Random,
  SEED_BYTES,
  ServiceError,
} from '../../kernel/plugin-api.ts';
import type { NodeIdentity, NodeKeys, RetiredIdentity, RotatedNodeKey } from './node-info-api.ts';
import { loadNodeKey, loadRetiredKeys, rotateNodeKey } from './node-key-file.ts';

export interface NodeKeySettings {
  /** base64url of the 32-byte seed; empty to use the file. */
  readonly privateKey: string;
  readonly privateKeyFile: string;
}

/**
 * The identity from the configured key, or else from the file, which is made when it is missing. Retired keys are those beside the file,
 * whichever of the two the current one comes from.
 */
export const openNodeIdentity = async (settings: NodeKeySettings, random: Random): Promise<NodeIdentity> => {
  const seed =
    settings.privateKey === '' ? await loadNodeKey(settings.privateKeyFile, random) : seedOf(settings.privateKey);
  const signer = createSigner(seed);
  const { publicKey, deriveSecret } = identify(seed);
  // A rotation that broke off has put the current key aside as well.
  const retired = (await loadRetiredKeys(settings.privateKeyFile)).map(identify);
  return {
    publicKey,
    deriveSecret,
    sign: (bytes) => signer.sign(bytes),
    retired: retired.filter((other) => other.publicKey !== publicKey),
  };
};

/** Administration of the key, wherever it comes from. */
export const createNodeKeys = (
  settings: NodeKeySettings,
  random: Random,
  record: (rotated: RotatedNodeKey, actor: Principal) => Promise<void>,
): NodeKeys => ({
  async rotate(actor) {
    if (settings.privateKey !== '') {
      throw new ServiceError('conflict', 'the private key is given by SVC_NODE_PRIVATE_KEY and not kept in a file', {
        hint: `change the variable, and keep the old value in a file ${settings.privateKeyFile}.retired-1, mode 600, for what it signed`,
      });
    }
    const { retired, current } = await rotateNodeKey(settings.privateKeyFile, random);
    const rotated = { retiredPublicKey: identify(retired).publicKey, publicKey: identify(current).publicKey };
    await record(rotated, actor);
    return rotated;
  },
});

const identify = (seed: Uint8Array): RetiredIdentity => ({
  publicKey: encodeBase64Url(createSigner(seed).publicKey),
  deriveSecret: (purpose) => new Uint8Array(hkdfSync('sha256', seed, '', purpose, DERIVED_BYTES)),
});

const DERIVED_BYTES = 32;

const seedOf = (text: string): Uint8Array => {
  const seed = decodeBase64Url(text);
  if (seed?.length === SEED_BYTES) return seed;
  throw new ServiceError('validation', `SVC_NODE_PRIVATE_KEY is not the base64url form of ${SEED_BYTES} bytes`, {
    hint: 'give the 32-byte Ed25519 seed in base64url without padding, or leave the variable empty',
  });
};
