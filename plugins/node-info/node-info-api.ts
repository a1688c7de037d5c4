import { defineRef, type Principal } from '../../kernel/plugin-api.ts';

/** The metadata document of a node, as clients read it. Plugins add members through the hook `node:metadata`. */
export interface NodeMetadata extends Readonly<Record<string, unknown>> {
  /** Of the document, not of the program. */
  readonly version: string;
  readonly node_id: string;
  readonly node_url: string;
  readonly auth: 'none' | 'required';
  readonly federation: 'disabled' | 'enabled';
  readonly source_attestation: 'enforce' | 'warn' | 'off';
  /** Prefixes of relations. */
  readonly namespaces: readonly string[];
  /** Address of the API reference. */
  readonly spec: string;
  readonly cors: { readonly dev_localhost: boolean; readonly configured: boolean };
  /** base64url without padding of the raw 32-byte Ed25519 key that the node signs by. */
  readonly federation_pubkey: string;
}

/** What the node says of itself to everybody. */
export interface NodeInfo {
  /** The document, at most a second old. Rejects when a plugin that adds members fails. */
  metadata(): Promise<NodeMetadata>;
  /**
   * Whether the node can serve and store: what the handlers of `node:health` found, at most a second ago. False, too,
   * when they fail or take longer than a second. Never rejects; the log says what is wrong.
   */
  isHealthy(): Promise<boolean>;
}

export const NodeInfo = defineRef<NodeInfo>('node-info.info');

/**
 * The node's own key: signs peer tokens, declarations, capability tokens and tombstones. The private half is never
 * shown.
 */
export interface NodeIdentity {
  /** base64url without padding of the raw 32-byte Ed25519 key, as the metadata publishes it. */
  readonly publicKey: string;
  /** Ed25519, 64 bytes, the same for the same bytes. */
  sign(bytes: Uint8Array): Uint8Array;
  /**
   * 32 secret bytes for one purpose, the same for every process and start with the same key (HKDF, RFC 5869): for
   * secrets that must not lie open in the store. Another key gives others, so that what they guarded has to be made
   * anew.
   */
  deriveSecret(purpose: string): Uint8Array;
  /**
   * Keys that the node had before, for what they left behind: to verify, and to open what their secrets closed. Nothing
   * is signed by them.
   */
  readonly retired: readonly RetiredIdentity[];
}

export type RetiredIdentity = Pick<NodeIdentity, 'publicKey' | 'deriveSecret'>;

export const NodeIdentity = defineRef<NodeIdentity>('node-info.identity');

export interface RotatedNodeKey {
  /** base64url, of the key that signs until each process was started again. */
  readonly retiredPublicKey: string;
  /** base64url, of the key that signs from then on. */
  readonly publicKey: string;
}

/** Administration of the node's own key. */
export interface NodeKeys {
  /**
   * Puts a new key in the place of the one in the file, which is kept beside it as retired. Running processes go on
   * with theirs until they are started again. Audited as `key_rotation` of the caller. Needs `admin`. Rejects with
   * `conflict` where a setting gives the key.
   */
  rotate(caller: Principal): Promise<RotatedNodeKey>;
}

export const NodeKeys = defineRef<NodeKeys>('node-info.keys');
