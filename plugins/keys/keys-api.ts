import { MAX_PLAIN_KEY_LENGTH } from '../../kernel/internal-api.ts';
import {
  defineCollectHook,
  definePermission,
  defineRef,
  matchKey,
  type PluginSnapshot,
  type PluginTransaction,
  type Principal,
  type Scope,
  type ServiceNames,
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
  /** RFC 3339, as the caller sent it. Null for a key that never expires. */
  readonly expiresAt: string | null;
  readonly tenantId: string;
  /** Subject at the identity provider when the key came from an exchange. */
  readonly oidcSub: string | null;
  /** RFC 3339. Null for a key that was not revoked. */
  readonly revokedAt: string | null;
  /** RFC 3339, up to ten minutes early. Null for a key that was never used, and for one that was just made. */
  readonly lastUsedAt: string | null;
}

export interface KeyListOptions {
  readonly includeInactive?: boolean;
  /** Only keys whose entity or description contains this text, in any case. */
  readonly search?: string | undefined;
  /** All keys by default. */
  readonly limit?: number;
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
  /** RFC 3339. If absent or null, the key gets the longest allowed life. */
  readonly expiresAt?: string | null | undefined;
  /** The tenant of the caller by default. */
  readonly tenantId?: string | undefined;
}

/** A key with its remaining time. */
export interface ExpiringKey extends KeyRecord {
  /** 0 or more, with fractions. */
  readonly daysRemaining: number;
}

export interface RotatedKey {
  readonly record: KeyRecord;
  readonly formerId: string;
  /** RFC 3339: the end of the former key. */
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
 * Handlers return true, in this snapshot or transaction, for a key that depends on something that has ended, and
 * undefined for every other key. `KeyRegistry.principalOf` treats such a key as ended.
 */
export const keyEnded = defineCollectHook<{ readonly id: string; readonly snapshot: PluginSnapshot }, true>(
  'key:ended',
);

/**
 * Manages API keys. The rules for registrations apply to every caller. The rules about rights do not apply to the node
 * itself (`kind: 'node'`), which acts for the command line and creates the first key.
 */
export interface KeyRegistry {
  /** Ids of the permissions that a key can have: permissions of the node and of the enabled plugins. */
  readonly permissions: readonly string[];
  /**
   * Stores the digest of a key. Rejects with `validation` for a registration that breaks a rule, and with `conflict` if
   * the key was ever known. Rejects with `authorization` if the caller is no `admin`, came from an identity provider,
   * or lacks a permission, a scope or the tenant.
   */
  register(caller: Principal, registration: KeyRegistration): Promise<KeyRecord>;
  /** The caller's own keys that are neither expired nor revoked, newest first. */
  own(caller: Principal, options?: Omit<KeyListOptions, 'includeInactive'>): Promise<KeyRecord[]>;
  /**
   * Returns the keys of the caller's tenant, newest first. The node gets the keys of every tenant. Expired and revoked
   * keys appear only with `includeInactive`. Needs `admin`.
   */
  list(caller: Principal, options?: KeyListOptions): Promise<KeyRecord[]>;
  /**
   * Returns the keys of `list` that expire within 1 to 365 days, soonest first. The default comes from the setting.
   * Needs `admin`.
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
   * unknown id, and for a key that is neither the caller's own nor, for an admin, of its tenant.
   */
  revoke(caller: Principal, id: string): Promise<void>;
  /**
   * Returns the principal of a key, in this snapshot or transaction. Undefined for an unknown, revoked or expired key,
   * and for one that `key:ended` ends.
   * For later work in the name of a caller: store only the id, and call this method each time.
   */
  principalOf(id: string, snapshot: PluginSnapshot): Promise<Principal | undefined>;
  /** Counts the keys that were ever registered, including expired and revoked keys. */
  count(): Promise<number>;
}

export const KeyRegistry = defineRef<KeyRegistry>('keys.registry');

/** The entity of a person of the identity provider. */
export const subjectEntity = (oidcSub: string): string => `oidc:${oidcSub}`;

const SUBJECTS = subjectEntity('');

/**
 * Returns the key by which rights of an entity are stored, equal for all spellings of its name. It keeps the case of
 * subjects of an identity provider, so that none of them gets the rights of another.
 */
export const principalKey = (entityUri: string, names: ServiceNames): string => {
  const key = matchKey(entityUri, names);
  const isSubject = key.startsWith(SUBJECTS) && entityUri.length <= MAX_PLAIN_KEY_LENGTH;
  return isSubject ? `${SUBJECTS}${entityUri.slice(SUBJECTS.length)}` : key;
};

/** The rights of a person, as an identity provider states them. */
export interface SubjectGrant {
  /** Subject at the identity provider, 1 to 255 visible ASCII characters. The key acts for its `subjectEntity`. */
  readonly oidcSub: string;
  /** The program or device that uses the key, for its description. Null if there is none. */
  readonly client: string | null;
  /** At least one, of `KeyRegistry.permissions`. */
  readonly permissions: readonly string[];
  /** The roles that grant the permissions, for the audit log. */
  readonly roles: readonly string[];
  /** The life of the key, unless the node's limit is shorter. */
  readonly lifeMs: number;
  /**
   * True if work started with the replaced keys continues with the new key, provided that it has all their permissions.
   */
  readonly isContinuing?: boolean;
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

/** A public key that verifies the signatures of an agent. */
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

/** Public keys of agents. They verify the signatures of asserted facts. */
export interface AgentKeys {
  /**
   * Registers a public key of the caller. Needs `write`. Rejects with `validation` for a text that is no Ed25519 public
   * key, and with `limit_reached` if the caller has registered too many. The same key may be registered again and then
   * has two ids.
   */
  register(caller: Principal, registration: AgentKeyRegistration): Promise<AgentKeyRecord>;
  /** Returns the caller's own keys, newest first, including revoked keys. */
  own(caller: Principal): Promise<AgentKeyRecord[]>;
  /**
   * Ends one of the caller's own keys: later signatures with it are refused. Rejects with `lookup` for any other id,
   * and with `conflict` for a key that is already revoked.
   */
  revoke(caller: Principal, id: string): Promise<void>;
  /** Returns the keys of the tenant with one of these ids, of any owner, including revoked keys; unordered. */
  among(ids: readonly string[], tenantId: string): Promise<readonly AgentKeyRecord[]>;
}

export const AgentKeys = defineRef<AgentKeys>('keys.agent-keys');

/** The permission for the exchange of facts between nodes. */
export const FEDERATE = definePermission('federate', { summary: 'exchange facts with other nodes' });
