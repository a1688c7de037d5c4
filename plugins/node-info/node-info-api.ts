import { defineRef } from '../../kernel/plugin-api.ts';

/** The node's own key: signs peer tokens, declarations, capability tokens and tombstones. The private half is never shown. */
export interface NodeIdentity {
  /** base64url without padding of the raw 32-byte Ed25519 key, as the metadata publishes it. */
  readonly publicKey: string;
  /** Ed25519, 64 bytes, the same for the same bytes. */
  sign(bytes: Uint8Array): Uint8Array;
}

export const NodeIdentity = defineRef<NodeIdentity>('node-info.identity');
