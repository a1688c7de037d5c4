import {
  createSigner,
  decodeBase64Url,
  encodeBase64Url,
  type Random,
  SEED_BYTES,
  ServiceError,
} from '../../kernel/plugin-api.ts';
import type { NodeIdentity } from './node-info-api.ts';
import { loadNodeKey } from './node-key-file.ts';

export interface NodeKeySettings {
  /** base64url of the 32-byte seed; empty to use the file. */
  readonly privateKey: string;
  readonly privateKeyFile: string;
}

/** The identity from the configured key, or else from the file, which is made when it is missing. */
export const openNodeIdentity = async (settings: NodeKeySettings, random: Random): Promise<NodeIdentity> => {
  const seed =
    settings.privateKey === '' ? await loadNodeKey(settings.privateKeyFile, random) : seedOf(settings.privateKey);
  const signer = createSigner(seed);
  return { publicKey: encodeBase64Url(signer.publicKey), sign: (bytes) => signer.sign(bytes) };
};

const seedOf = (text: string): Uint8Array => {
  const seed = decodeBase64Url(text);
  if (seed?.length === SEED_BYTES) return seed;
  throw new ServiceError('validation', `SVC_NODE_PRIVATE_KEY is not the base64url form of ${SEED_BYTES} bytes`, {
    hint: 'give the 32-byte Ed25519 seed in base64url without padding, or leave the variable empty',
  });
};
