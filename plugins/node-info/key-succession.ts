import { canonicalJson } from '../../kernel/internal-api.ts';

/** A key in the metadata of a node. */
export interface SucceedingKey {
  readonly keyId: string;
  /** base64url of the raw Ed25519 key. */
  readonly publicKey: string;
  /** RFC 3339, exactly as in the metadata. */
  readonly validFrom: string;
}

/** Returns the bytes that a key signs to name its successor of the same node. */
export const successionBytes = (nodeId: string, { keyId, publicKey, validFrom }: SucceedingKey): Uint8Array =>
  Buffer.from(canonicalJson({ v: 1, node_id: nodeId, key_id: keyId, public_key: publicKey, valid_from: validFrom }));
