import { defineCollectHook, defineRef, type Principal } from '../../kernel/plugin-api.ts';

export { type SucceedingKey, successionBytes } from './key-succession.ts';

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
  /** Every key that the node has had since it keeps count, oldest first, the current one last. */
  readonly federation_keys: readonly ListedNodeKey[];
}

/** A key of the node, for those that verify what it signed. */
export interface ListedNodeKey {
  /** The first 16 hexadecimal digits of the SHA-256 of the raw key. */
  readonly key_id: string;
  /** base64url of the raw key. */
  readonly public_key: string;
  readonly valid_from: string;
  /** Null for the current key. Until then processes that have not started again may use a key that was replaced. */
  readonly valid_until: string | null;
  /** How the key before vouches for this one, over `successionBytes`; null for the first, and after one was lost. */
  readonly signed_by: { readonly key_id: string; readonly signature: string } | null;
}

/** The public description of a node. */
export interface NodeInfo {
  /** The document, at most a second old. Rejects when a plugin that adds members fails. */
  metadata(): Promise<NodeMetadata>;
  /**
   * Whether the node can serve and store: the result of the handlers of `node:health`, at most a second old. False when
   * they fail or take longer than a second. Never rejects; the log names the problems.
   */
  isHealthy(): Promise<boolean>;
  /**
   * Whether this process should get requests: it is healthy, the handlers of `node:readiness` know of nothing, and it
   * does not stop. Never rejects; the log names the problems.
   */
  isReady(): Promise<boolean>;
}

export const NodeInfo = defineRef<NodeInfo>('node-info.info');

/** The key that the node signs by. The private half is never shown. */
export interface NodeIdentity {
  /**
   * base64url without padding of the raw 32-byte Ed25519 key, as the metadata publishes it. It may change while the
   * node runs: read it in the same turn as `sign`, or before `signAll`, and keep nothing that follows from it.
   */
  readonly publicKey: string;
  /** Ed25519, 64 bytes, the same for the same bytes. */
  sign(bytes: Uint8Array): Uint8Array;
  /** The same for many texts, in order, beside the event loop. */
  signAll(texts: readonly Uint8Array[]): Promise<readonly Uint8Array[]>;
  /**
   * Returns 32 secret bytes for one purpose, the same for every process and start with the same key (HKDF, RFC 5869).
   * They guard secrets that must not lie open in the store. Another key gives other bytes, and what they guarded must
   * be made again.
   */
  deriveSecret(purpose: string): Uint8Array;
  /**
   * Keys that the node had before, and one that it is about to use: to verify signatures and to open what their
   * secrets closed. They sign nothing.
   */
  readonly retired: readonly RetiredIdentity[];
}

export type RetiredIdentity = Pick<NodeIdentity, 'publicKey' | 'deriveSecret'>;

export const NodeIdentity = defineRef<NodeIdentity>('node-info.identity');

/** Tells of a key that the node will sign by in a few seconds. A throw puts that off. */
export const nodeKeyAnnounced = defineCollectHook<{ readonly publicKey: string }, void>('node-key:announced');

export interface RotatedNodeKey {
  /** base64url of the old key, by which each process signs until it has taken the new one up. */
  readonly retiredPublicKey: string;
  /** base64url of the new key. */
  readonly publicKey: string;
}

/** Administers the node's own key. */
export interface NodeKeys {
  /**
   * Puts a new key in the place of the one in the file, and keeps the old one beside it as retired. Running processes
   * take it up within seconds. Audited as `key_rotation` of the caller. Needs `admin`. Rejects
   * with `conflict` where a setting gives the key.
   */
  rotate(caller: Principal): Promise<RotatedNodeKey>;
}

export const NodeKeys = defineRef<NodeKeys>('node-info.keys');
