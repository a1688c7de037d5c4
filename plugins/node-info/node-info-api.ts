import { defineCollectHook, defineRef, type Principal } from '../../kernel/plugin-api.ts';

export { formerKeyIds } from './former-keys.ts';
export { type SucceedingKey, successionBytes } from './key-succession.ts';

/** The metadata document of a node, for clients. Plugins add members through the hook `node:metadata`. */
export interface NodeMetadata extends Readonly<Record<string, unknown>> {
  /** The version of the document, not of the program. */
  readonly version: string;
  readonly node_id: string;
  readonly node_url: string;
  readonly auth: 'none' | 'required';
  readonly federation: 'disabled' | 'enabled';
  readonly source_attestation: 'enforce' | 'warn' | 'off';
  /** Prefixes of relations that the node knows. */
  readonly namespaces: readonly string[];
  /** The version of Unicode by which the node compares names. */
  readonly unicode_version: string;
  /** The address of the API reference. */
  readonly spec: string;
  readonly cors: { readonly dev_localhost: boolean; readonly configured: boolean };
  /** The raw 32-byte Ed25519 key with which the node signs, as base64url without padding. */
  readonly federation_pubkey: string;
  /** Every recorded key of the node, oldest first, the current one last. */
  readonly federation_keys: readonly ListedNodeKey[];
}

/** A key of the node, for those that verify its signatures. */
export interface ListedNodeKey {
  /** The first 16 hexadecimal digits of the SHA-256 of the raw key. */
  readonly key_id: string;
  /** base64url of the raw key. */
  readonly public_key: string;
  readonly valid_from: string;
  /** Null for the current key. Until this time, processes that have not restarted may use a replaced key. */
  readonly valid_until: string | null;
  /**
   * The signature of this key by its predecessor, over `successionBytes`; null for the first key, and after a key was
   * lost.
   */
  readonly signed_by: { readonly key_id: string; readonly signature: string } | null;
}

/** The public description of a node. */
export interface NodeInfo {
  /** Returns the document, at most a second old. Rejects if a plugin that adds members fails. */
  metadata(): Promise<NodeMetadata>;
  /**
   * True if the node can serve and store: the result of the handlers of `node:health`, at most a second old. False if
   * they fail or take longer than a second. Never rejects; the log names the problems.
   */
  isHealthy(): Promise<boolean>;
  /**
   * True if this process should get requests: it is healthy, no handler of `node:readiness` reports a problem, and it
   * is not stopping. Never rejects; the log names the problems.
   */
  isReady(): Promise<boolean>;
}

export const NodeInfo = defineRef<NodeInfo>('node-info.info');

/** The key with which the node signs. Its private half is never exposed. */
export interface NodeIdentity {
  /**
   * The raw 32-byte Ed25519 key as base64url without padding, as in the metadata. It may change while the node runs.
   * Read it in the same turn as `sign`, or before `signAll`, and do not cache values derived from it.
   */
  readonly publicKey: string;
  /** Returns an Ed25519 signature of 64 bytes. Equal bytes give equal signatures. */
  sign(bytes: Uint8Array): Uint8Array;
  /** Signs many texts, in order, without blocking the event loop. */
  signAll(texts: readonly Uint8Array[]): Promise<readonly Uint8Array[]>;
  /**
   * Returns 32 secret bytes for one purpose, the same for every process and start with the same key (HKDF, RFC 5869).
   * They encrypt secrets in the store. Another key gives other bytes, and then those secrets must be created again.
   */
  deriveSecret(purpose: string): Uint8Array;
  /** Previous keys, and a key that will be used soon, to verify signatures and to open secrets. They sign nothing. */
  readonly retired: readonly RetiredIdentity[];
  /**
   * The public halves of all keys with which this node has signed, as base64url: the current one, the retired ones, and
   * those in the store whose private half is lost. They verify what the node itself wrote down.
   */
  readonly publicKeys: readonly string[];
}

export type RetiredIdentity = Pick<NodeIdentity, 'publicKey' | 'deriveSecret'>;

export const NodeIdentity = defineRef<NodeIdentity>('node-info.identity');

/** Announces the key with which the node will sign in a few seconds. A handler that throws postpones the change. */
export const nodeKeyAnnounced = defineCollectHook<{ readonly publicKey: string }, void>('node-key:announced');

export interface RotatedNodeKey {
  /** The old key as base64url. Each process signs with it until it takes up the new key. */
  readonly retiredPublicKey: string;
  /** The new key as base64url. */
  readonly publicKey: string;
}

/** Administers the node's own key. */
export interface NodeKeys {
  /**
   * Replaces the key in the file, and stores the old one beside it as retired. Running processes take the new key up
   * within seconds. Audited as `key_rotation` of the caller. Needs `admin`. Rejects with `conflict` if a setting gives
   * the key.
   */
  rotate(caller: Principal): Promise<RotatedNodeKey>;
}

export const NodeKeys = defineRef<NodeKeys>('node-info.keys');
