import { foldName } from '../../kernel/internal-api.ts';
import {
  type Clock,
  DEFAULT_TENANT,
  formatInstant,
  memberRefusal,
  type PluginSnapshot,
  type PluginTables,
  type PluginTransaction,
  type Principal,
  type Random,
  requirePermission,
  ServiceError,
  sha256Hex,
} from '../../kernel/plugin-api.ts';
import { ADMIN_ACTION, type AuditLog } from '../audit/audit-api.ts';
import type { Tenancy } from '../multi-tenant/multi-tenant-api.ts';
import { checkGivenRights, checkRegistrar, checkRegistration, expiryOf } from './check-registration.ts';
import { orderedScopes, recordOf, type StoredKey, sortedPermissions } from './key-row.ts';
import type { KeyStore } from './key-store.ts';
import type { KeyUses } from './key-uses.ts';
import {
  type ExpiringKey,
  type KeyListOptions,
  type KeyRecord,
  type KeyRegistration,
  type KeyRegistry,
  keyEnded,
  type RotatedKey,
} from './keys-api.ts';
import { API_KEY_REVOKED } from './keys-words.ts';
import { checkReplacement, type RotateKeyParts, rotateKey } from './rotate-key.ts';

export interface RegistryParts {
  readonly store: KeyStore;
  readonly uses: KeyUses;
  readonly tables: PluginTables;
  readonly clock: Clock;
  readonly random: Random;
  readonly audit: AuditLog | undefined;
  readonly maxAgeDays: number;
  /** Undefined on a node without the plugin `multi-tenant`. */
  readonly tenancy: Tenancy | undefined;
  /** The default of `expiring`. */
  readonly expiringSoonDays: number;
  /** Narrows a list to the keys of the caller's tenant. */
  tenantFilter(caller: Principal): { readonly tenantId?: string };
  /** Returns the tenant of the callers that use a key. */
  tenantOf(key: StoredKey): string;
  principalOf(key: StoredKey): Principal;
  /** Ids of all declared permissions. */
  readonly permissions: readonly string[];
}

export const MAX_DAYS_AHEAD = 365;
/** The id that means the key of the request itself. */
const CURRENT_KEY = 'current';
const DAY_MS = 86_400_000;

export interface BootstrapKey {
  readonly registration: KeyRegistration;
  readonly minKeyLength: number;
}

/** Filters in memory, because the two database engines ignore the case of different letters. */
const narrowed = (keys: readonly StoredKey[], { search = '', limit }: KeyListOptions): readonly StoredKey[] => {
  const words = foldName(search);
  const isFound = ({ entityUri, description }: StoredKey): boolean =>
    [entityUri, description ?? ''].some((text) => foldName(text).includes(words));
  return (words === '' ? keys : keys.filter(isFound)).slice(0, limit);
};

const known = (): ServiceError => new ServiceError('conflict', 'this key is already known: choose another one');

export class StoredKeyRegistry implements KeyRegistry {
  readonly #parts: RotateKeyParts;

  constructor(parts: RotateKeyParts) {
    this.#parts = parts;
  }

  get permissions(): readonly string[] {
    return this.#parts.permissions;
  }

  async register(caller: Principal, registration: KeyRegistration): Promise<KeyRecord> {
    checkRegistration(registration, this.permissions);
    checkRegistrar(registration, caller);
    await this.#requireOpenTenant(registration.tenantId);
    return this.#insert(registration, caller);
  }

  /** Registers the first key of a tenant in the transaction that creates the tenant, a transaction of `default`. */
  async registerFor(caller: Principal, first: KeyRegistration, transaction: PluginTransaction): Promise<KeyRecord> {
    checkRegistration(first, this.permissions, { path: 'body.first_key' });
    checkGivenRights(first, caller);
    const { store, tables } = this.#parts;
    const own = tables.in(transaction);
    const key = this.#keyOf(first, caller, 'body.first_key');
    const digest = sha256Hex(first.rawKey);
    if (await store.isKnown(own, digest)) throw known();
    await store.insert(own, key, digest);
    await this.#auditRegistration(key, caller, { transaction, tenantId: DEFAULT_TENANT });
    return recordOf(key);
  }

  /** Registers the first key of a store. Returns null if the store ever had a key. */
  async registerFirst(caller: Principal, { registration, minKeyLength }: BootstrapKey): Promise<KeyRecord | null> {
    checkRegistration(registration, this.permissions, { minKeyLength });
    // Reads first, so that a normal start needs no transaction.
    if ((await this.count()) > 0) return null;
    try {
      return await this.#insert(registration, caller, true);
    } catch (error) {
      if (error instanceof ServiceError && error.code === 'conflict') return null;
      throw error;
    }
  }

  async own(caller: Principal, options: KeyListOptions = {}): Promise<KeyRecord[]> {
    const { store, clock } = this.#parts;
    const own = { entityUri: caller.entityUri, activeAtMs: clock.nowMs(), ...this.#ofTenant(caller) };
    return this.#recordsOf(narrowed(await store.list(own), options));
  }

  async list(caller: Principal, options: KeyListOptions = {}): Promise<KeyRecord[]> {
    requirePermission(caller, 'admin');
    const { store, clock } = this.#parts;
    const active = options.includeInactive ? {} : { activeAtMs: clock.nowMs() };
    return this.#recordsOf(narrowed(await store.list({ ...active, ...this.#ofTenant(caller) }), options));
  }

  async expiring(caller: Principal, withinDays = this.#parts.expiringSoonDays): Promise<ExpiringKey[]> {
    requirePermission(caller, 'admin');
    if (!Number.isInteger(withinDays) || withinDays < 1 || withinDays > MAX_DAYS_AHEAD) {
      throw memberRefusal('query.within_days', `must be an integer from 1 to ${MAX_DAYS_AHEAD}`, 'bad_parameter');
    }
    const { store, clock } = this.#parts;
    const nowMs = clock.nowMs();
    const expiringByMs = nowMs + withinDays * DAY_MS;
    const keys = await store.list({ activeAtMs: nowMs, expiringByMs, ...this.#ofTenant(caller) });
    const records = await this.#recordsOf(keys);
    return keys.map((key, at) => ({
      ...(records[at] as KeyRecord),
      daysRemaining: Math.max(0, ((key.expiresMs ?? nowMs) - nowMs) / DAY_MS),
    }));
  }

  async rotate(caller: Principal, id: string, replacement: Parameters<KeyRegistry['rotate']>[2]): Promise<RotatedKey> {
    checkReplacement(replacement);
    const former = await this.#found(caller, id === CURRENT_KEY ? (caller.keyId ?? '') : id);
    return rotateKey(this.#parts, caller, former, replacement);
  }

  async revoke(caller: Principal, id: string): Promise<void> {
    const { store, tables, clock } = this.#parts;
    const found = await this.#found(caller, id);
    await tables.write(this.#parts.tenantOf(found), async (own, transaction) => {
      const key = await store.byId(own, id);
      if (key === undefined || key.revokedMs !== null) return;
      await store.revoke(own, key, clock.nowMs());
      await this.#auditRevocation(key, caller, transaction);
    });
  }

  async principalOf(id: string, snapshot: PluginSnapshot): Promise<Principal | undefined> {
    const { store, tables, clock, hooks, principalOf } = this.#parts;
    const key = await store.byId(tables.in(snapshot), id);
    if (key === undefined || key.revokedMs !== null) return undefined;
    if (key.expiresMs !== null && key.expiresMs <= clock.nowMs()) return undefined;
    return (await hooks.collect(keyEnded, { id, snapshot })).length > 0 ? undefined : principalOf(key);
  }

  count(): Promise<number> {
    return this.#parts.store.count();
  }

  async #recordsOf(keys: readonly StoredKey[]): Promise<KeyRecord[]> {
    const uses = await this.#parts.uses.among(keys);
    return keys.map((key) => recordOf(key, uses.get(key.id)));
  }

  async #insert(registration: KeyRegistration, actor: Principal, onlyFirst = false): Promise<KeyRecord> {
    const { store, tables } = this.#parts;
    const key = this.#keyOf(registration, actor);
    const digest = sha256Hex(registration.rawKey);
    try {
      await tables.write(this.#parts.tenantOf(key), async (own, transaction) => {
        const isTaken = onlyFirst ? (await store.countIn(own)) > 0 : await store.isKnown(own, digest);
        if (isTaken) throw known();
        await store.insert(own, key, digest);
        await this.#auditRegistration(key, actor, { transaction, tenantId: this.#parts.tenantOf(key) });
      });
    } catch (error) {
      // Two tenants can insert one digest at the same time. The unique index accepts only one of them.
      const lost = !(error instanceof ServiceError) && (await tables.read((own) => store.isKnown(own, digest)));
      throw lost ? known() : error;
    }
    return recordOf(key);
  }

  /** Returns one of the caller's own keys; for an administrator, any key of the tenant. */
  async #found(caller: Principal, id: string): Promise<StoredKey> {
    const { store, tables } = this.#parts;
    const found = await tables.read((own) => store.byId(own, id));
    if (found === undefined || !this.#mayRevoke(found, caller)) throw new ServiceError('lookup', 'no such key');
    return found;
  }

  #ofTenant(caller: Principal): { readonly tenantId?: string } {
    return caller.kind === 'node' ? {} : this.#parts.tenantFilter(caller);
  }

  /**
   * Checks that the tenant of a registration accepts keys. Only the node itself may name a tenant other than its own.
   */
  async #requireOpenTenant(tenantId = DEFAULT_TENANT): Promise<void> {
    const { tenancy } = this.#parts;
    if (tenantId === DEFAULT_TENANT) return;
    if (tenancy === undefined) throw new ServiceError('authorization', 'this node keeps one tenant');
    await tenancy.requireOpen(tenantId);
  }

  #keyOf(registration: KeyRegistration, actor: Principal, path = 'body'): StoredKey {
    const { clock, random, maxAgeDays } = this.#parts;
    const nowMs = clock.nowMs();
    const expiresMs = expiryOf(registration.expiresAt, nowMs, { maxAgeDays, path });
    return {
      id: random.uuid(),
      entityUri: registration.entityUri.trim(),
      permissions: sortedPermissions(registration.permissions),
      allowedScopes: orderedScopes(new Set(registration.allowedScopes)),
      description: registration.description ?? null,
      createdMs: nowMs,
      expiresAt: registration.expiresAt ?? (expiresMs === null ? null : formatInstant(expiresMs)),
      expiresMs,
      revokedMs: null,
      oidcSub: null,
      client: null,
      tenantId: registration.tenantId ?? (actor.kind === 'node' ? DEFAULT_TENANT : actor.tenantId),
    };
  }

  #mayRevoke(key: StoredKey, actor: Principal): boolean {
    if (actor.kind === 'node') return true;
    const isOfTenant = this.#parts.tenantOf(key) === actor.tenantId;
    return isOfTenant && (key.entityUri === actor.entityUri || actor.permissions.has('admin'));
  }

  async #auditRegistration(
    key: StoredKey,
    actor: Principal,
    { transaction, tenantId }: { readonly transaction: PluginTransaction; readonly tenantId: string },
  ): Promise<void> {
    await this.#parts.audit?.record(
      {
        event: ADMIN_ACTION,
        tenantId,
        entityUri: actor.entityUri,
        oidcSub: actor.oidcSub,
        detail: {
          action: 'api_key_register',
          new_key_id: key.id,
          target_entity_uri: key.entityUri,
          permissions: key.permissions,
          has_expiry: key.expiresMs !== null,
        },
      },
      transaction,
    );
  }

  async #auditRevocation(key: StoredKey, actor: Principal, transaction: PluginTransaction): Promise<void> {
    await this.#parts.audit?.record(
      {
        event: API_KEY_REVOKED,
        tenantId: this.#parts.tenantOf(key),
        entityUri: actor.entityUri,
        oidcSub: actor.oidcSub,
        detail: { action: 'api_key_revoke', key_id: key.id, target_entity_uri: key.entityUri },
      },
      transaction,
    );
  }
}
