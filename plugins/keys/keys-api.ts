import {
  defineCollectHook,
  definePermission,
  defineRef,
  type PluginSnapshot,
  type PluginTransaction,
  type Principal,
  type Scope,
} from '../../kernel/plugin-api.ts';

/** An API key without its secret. */
export interface KeyRecord {
  readonly id: string;
  readonly entityUri: string;
  /** Sorted. A permission that no enabled plugin declares is stored and gives no right. */
  readonly permissions: readonly string[];
  readonly allowedScopes: readonly Scope[];
  readonly description: string | null;
  /** RFC 3339. */
  readonly createdAt: string;
  /** RFC 3339, as it was sent; null for a key without an end. */
  readonly expiresAt: string | null;
  readonly tenantId: string;
  /** Subject at the identity provider when the key came from an exchange. */
  readonly oidcSub: string | null;
  /** RFC 3339; null while the key is active or merely expired. */
  readonly revokedAt: string | null;
}

export interface KeyRegistration {
  /** At least `MIN_RAW_KEY_LENGTH` visible ASCII characters. Only its SHA-256 digest is kept. */
  readonly rawKey: string;
  readonly entityUri: string;
  /** At least one, of `KeyRegistry.permissions`. */
  readonly permissions: readonly string[];
  /** At least one. */
  readonly allowedScopes: readonly Scope[];
  /** At most 1024 characters. */
  readonly description?: string | null;
  /** RFC 3339. Absent or null: the longest life that keys may have. */
  readonly expiresAt?: string | null | undefined;
  /** Absent: the caller's. */
  readonly tenantId?: string | undefined;
}

export const MIN_RAW_KEY_LENGTH = 32;

/** A key with the time that it has left. */
export interface ExpiringKey extends KeyRecord {
  /** 0 or more, with fractions. */
  readonly daysRemaining: number;
}

export const MAX_KEY_OVERLAP_SECONDS = 30 * 24 * 60 * 60;
export const DEFAULT_KEY_OVERLAP_SECONDS = 24 * 60 * 60;

export interface RotatedKey {
  readonly record: KeyRecord;
  readonly formerId: string;
  /** RFC 3339: when the former key ends. */
  readonly formerEndsAt: string;
}

/**
 * Reports, in the replacing transaction, that a key replaces another one of the same holder. Data that belongs to the
 * former key moves to the new one.
 */
export const keyReplaced = defineCollectHook<
  {
    readonly tenantId: string;
    readonly formerId: string;
    readonly id: string;
    readonly transaction: PluginTransaction;
  },
  void
>('key:replaced');

/**
 * The keys of callers. The rules for registrations bind every caller. The rules about rights do not bind the node
 * itself (`kind: 'node'`, for the command line and the first key).
 */
export interface KeyRegistry {
  /** Ids of the permissions that a key can be made with: those of the node and of the plugins that are enabled. */
  readonly permissions: readonly string[];
  /**
   * Stores the digest of a key. Rejects with `validation` for a registration that breaks a rule, and with `conflict` if
   * the key was ever known. Rejects with `authorization` if the caller is no `admin`, came from an identity provider,
   * or lacks a permission, a scope or the tenant.
   */
  register(caller: Principal, registration: KeyRegistration): Promise<KeyRecord>;
  /** The caller's own keys that are neither expired nor revoked, newest first. */
  own(caller: Principal): Promise<KeyRecord[]>;
  /**
   * All keys of the caller's tenant, and for the node those of every tenant, newest first; expired and revoked ones
   * only when asked for. Needs `admin`.
   */
  list(caller: Principal, options?: { readonly includeInactive?: boolean }): Promise<KeyRecord[]>;
  /**
   * Those of `list` that expire within some days, soonest first. 1 to 365 days, by default as many as the setting
   * says. Needs `admin`.
   */
  expiring(caller: Principal, withinDays?: number): Promise<ExpiringKey[]>;
  /**
   * Replaces a key by a new one with the same entity and rights. The former key stays valid for `overlapSeconds`, 0 to
   * `MAX_KEY_OVERLAP_SECONDS`, or until its own earlier end; 0 revokes it. For an administrator the new key gets the
   * full life of the former one; for others it ends with the former one. `id` is `current` for the key that the caller
   * uses. Rejects with `lookup` as `revoke` does. Rejects with `authorization` if the key has rights that the caller
   * lacks, and for keys of an identity provider. Rejects with `conflict` for a key that has ended, and for a new key
   * that was ever known. Rejects with `limit_reached` after too many rotations within a day.
   */
  rotate(
    caller: Principal,
    id: string,
    replacement: { readonly rawKey: string; readonly overlapSeconds: number },
  ): Promise<RotatedKey>;
  /**
   * Ends a key: at once in this process, within a second in every other. Idempotent. Rejects with `lookup` for an
   * unknown id and one that is neither the caller's own nor, for an admin, of its tenant.
   */
  revoke(caller: Principal, id: string): Promise<void>;
  /**
   * The principal of a key, in this snapshot or transaction; undefined for an unknown, revoked or expired key. For
   * later work on behalf of a caller: store only the id, and call this each time.
   */
  principalOf(id: string, snapshot: PluginSnapshot): Promise<Principal | undefined>;
  /** Keys ever registered, expired and revoked ones included. */
  count(): Promise<number>;
}

export const KeyRegistry = defineRef<KeyRegistry>('keys.registry');

/** The entity that a person of the identity provider acts for. */
export const subjectEntity = (oidcSub: string): string => `oidc:${oidcSub}`;

/** The rights of a person, as an identity provider states them. */
export interface SubjectGrant {
  /** Subject at the identity provider, 1 to 255 visible ASCII characters. The key acts for its `subjectEntity`. */
  readonly oidcSub: string;
  /** The program or device of the key, for its description; null for none in particular. */
  readonly client: string | null;
  /** At least one, of `KeyRegistry.permissions`. */
  readonly permissions: readonly string[];
  /** Role names that gave the permissions, for the audit log. */
  readonly roles: readonly string[];
  /** The life of the key, unless the node's limit is shorter. */
  readonly lifeMs: number;
}

/** Keys of people whom an identity provider has authenticated. They act for the tenant `default`, in all scopes. */
export interface SubjectKeys {
  /**
   * Makes a key, which is returned only once. Revokes the person's keys for the same client in the same transaction.
   * Rejects with `limit_reached` if the person has keys for too many other clients.
   */
  issue(grant: SubjectGrant): Promise<{ readonly rawKey: string; readonly record: KeyRecord }>;
}

export const SubjectKeys = defineRef<SubjectKeys>('keys.subject-keys');

/** A public key with which an agent signs what it asserts. */
export interface AgentKeyRecord {
  readonly id: string;
  readonly entityUri: string;
  /** base64url without padding of the raw 32-byte Ed25519 key. */
  readonly publicKey: string;
  readonly description: string | null;
  /** RFC 3339. */
  readonly registeredAt: string;
  /** RFC 3339; null while the key is active. */
  readonly revokedAt: string | null;
}

export interface AgentKeyRegistration {
  readonly publicKey: string;
  /** At most 1024 characters. */
  readonly description?: string | null;
}

/** Public keys of agents, which sign what they assert. */
export interface AgentKeys {
  /**
   * Registers a public key of the caller. Needs `write`. Rejects with `validation` for a text that is no Ed25519 public
   * key. The same key may be registered again and then has two ids.
   */
  register(caller: Principal, registration: AgentKeyRegistration): Promise<AgentKeyRecord>;
  /** The caller's own keys, newest first, revoked ones included. */
  own(caller: Principal): Promise<AgentKeyRecord[]>;
  /**
   * Ends one of the caller's own keys: what it signs from then on is refused. Rejects with `lookup` for any other id,
   * and with `conflict` for a key that is revoked already.
   */
  revoke(caller: Principal, id: string): Promise<void>;
  /** The tenant's keys with one of these ids, of any owner, revoked ones included; unordered. */
  among(ids: readonly string[], tenantId: string): Promise<readonly AgentKeyRecord[]>;
}

export const AgentKeys = defineRef<AgentKeys>('keys.agent-keys');

/** For the exchange of facts between nodes. */
export const FEDERATE = definePermission('federate', { summary: 'exchange facts with other nodes' });
