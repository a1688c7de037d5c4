import {
  defineRef,
  type PluginSnapshot,
  type PluginTransaction,
  type Principal,
  type Scope,
} from '../../kernel/plugin-api.ts';
import type { ErasurePreview, ErasureReceipt } from './erasure/erasure-receipt.ts';

/** The scope of a tombstone: one scope, or `*` for all of them. */
export type TombstoneScope = Scope | '*';

/** A signed marker that hides the facts about an entity. */
export interface Tombstone {
  /** The id: `tomb_<uuid>`. */
  readonly id: string;
  /** The id that the issuer has signed, if another tombstone already had that id here; otherwise null. */
  readonly originId: string | null;
  readonly tenantId: string;
  /** The entity, as the tombstone's author wrote it. */
  readonly entityUri: string;
  /** The match key of the entity. */
  readonly entityKey: string;
  readonly scope: TombstoneScope;
  readonly reason: string | null;
  /** True for a legal hold: the facts must stay, visible only to keys with `admin`. */
  readonly legalHold: boolean;
  /** True if the facts were destroyed. */
  readonly erase: boolean;
  /** The node id of the issuer. */
  readonly signedBy: string;
  readonly keyId: string;
  /** The signature in base64url, over the canonical JSON of the document that peers exchange. */
  readonly signature: string;
  /** The time of creation, RFC 3339, as signed. */
  readonly createdAt: string;
  /** The time of creation, in milliseconds since the epoch. */
  readonly createdMs: number;
  readonly revokedMs: number | null;
  readonly erasedMs: number | null;
  /** The node id of the peer that sent the tombstone; null if it was created here. */
  readonly receivedFrom: string | null;
}

/** The signed revocation of a tombstone. */
export interface TombstoneRevocation {
  /** The id: `tombrevoke_<uuid>`. */
  readonly id: string;
  readonly tombstoneId: string;
  readonly reason: string;
  readonly signedBy: string;
  readonly keyId: string;
  readonly signature: string;
  /** The time of creation, RFC 3339, as signed. */
  readonly createdAt: string;
}

export interface TombstoneDraft {
  /** The entity, whose URI contains a colon. Entities are compared by match key. */
  readonly entityUri: string;
  /** The scope to hide; `*` by default. */
  readonly scope?: string | undefined;
  /** The reason; at most 1024 characters. */
  readonly reason?: string | null | undefined;
  readonly legalHold?: boolean | undefined;
}

export interface EntityTombstones {
  /** True if an active tombstone hides the entity. */
  readonly isTombstoned: boolean;
  /** The tombstones, newest first, revoked ones included; at most 500. */
  readonly tombstones: readonly Tombstone[];
  readonly revocations: readonly TombstoneRevocation[];
  /** True if there are more tombstones than shown. */
  readonly isTruncated: boolean;
}

/** The position of the last tombstone on a page. */
export interface TombstonePosition {
  readonly createdMs: number;
  readonly id: string;
}

export interface TombstonePage {
  readonly tombstones: readonly Tombstone[];
  /** The revocations of these tombstones. */
  readonly revocations: readonly TombstoneRevocation[];
  readonly more: boolean;
}

/**
 * Manages signed tombstones that hide the facts about an entity, in the tenant of the caller. All calls need `admin`.
 */
export interface Tombstones {
  /** True if tombstones hide facts. Otherwise they are only stored. */
  readonly isSuppressing: boolean;
  /**
   * Creates a tombstone, or returns the active one of the same entity and scope, even if its reason differs. Rejects
   * with `tombstone_entity_uri_invalid` for a URI without a colon, and with `tombstone_invalid_scope`.
   */
  create(caller: Principal, draft: TombstoneDraft): Promise<Tombstone>;
  of(caller: Principal, entityUri: string): Promise<EntityTombstones>;
  /** Returns tombstones, newest first and revoked ones included; `limit` is 1 to 1000. */
  list(
    caller: Principal,
    page: { readonly after?: TombstonePosition | undefined; readonly limit: number },
  ): Promise<TombstonePage>;
  /**
   * Revokes a tombstone. Rejects with `lookup` for an unknown one, with `conflict` for a revoked one, and with
   * `tombstone_erased` for one whose facts were destroyed.
   */
  revoke(caller: Principal, tombstoneId: string, reason: string): Promise<TombstoneRevocation>;
  /** Returns a tombstone for other plugins, without checking a permission. */
  byId(tenantId: string, tombstoneId: string, snapshot: PluginSnapshot): Promise<Tombstone | undefined>;
  /**
   * Records in the signed tombstone that its facts were destroyed, in the transaction that destroys them. From then on
   * it cannot be revoked. A repeated call changes nothing. The tombstone must be active.
   */
  markErased(tombstone: Tombstone, nowMs: number, transaction: PluginTransaction): Promise<Tombstone>;
}

export const Tombstones = defineRef<Tombstones>('tombstones.tombstones');

/** Destroys the facts behind this node's tombstones, in the tenant of the caller. All calls need `admin`. */
export interface Erasures {
  /** Returns the entity of a tombstone, for callers who need not confirm it. */
  entityOf(caller: Principal, tombstoneId: string): Promise<string>;
  /** Computes the effect of an erasure without erasing. Rejects as `eraseNow` does. */
  preview(caller: Principal, tombstoneId: string, confirm: string): Promise<ErasurePreview>;
  /**
   * Destroys the facts, however long it takes, and returns the receipt. Rejects with `lookup`; with `validation` if
   * `confirm` is not the entity; with `tombstones_off` and `legal_hold`; and with `conflict` for a tombstone that was
   * revoked or that a peer has issued. `onProgress` gets the number of destroyed facts.
   */
  eraseNow(
    caller: Principal,
    tombstoneId: string,
    confirm: string,
    onProgress?: (facts: number) => void,
  ): Promise<ErasureReceipt>;
}

export const Erasures = defineRef<Erasures>('tombstones.erasures');

export type { ErasurePreview, ErasureReceipt } from './erasure/erasure-receipt.ts';
