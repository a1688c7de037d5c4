import {
  defineCollectHook,
  defineErrorCode,
  defineRef,
  type PluginSnapshot,
  type PluginTransaction,
  type Principal,
  type Scope,
} from '../../kernel/plugin-api.ts';

/** `erased` from the moment when somebody asked for it. */
export type TenantStatus = 'active' | 'suspended' | 'erasing' | 'erased';

/** How a tenant stands with callers: those of a suspended one are refused, those of an erased one do not exist. */
export type Standing = 'active' | 'suspended' | 'erased';

export const MULTI_TENANT_DISABLED = defineErrorCode('multi_tenant_disabled', {
  status: 403,
  summary: 'this node keeps one tenant: SVC_MULTI_TENANT_ENABLED is off',
});

/** The tenants, for other plugins. While the node has one tenant, everybody acts for `default`. */
export interface Tenancy {
  readonly isOn: boolean;
  /** The tenant for which a key acts that was stored for this one. */
  tenantOf(storedTenantId: string): string;
  /** Synchronous: it is asked with each request. Tenants that nobody knows are active. */
  standingOf(tenantId: string): Standing;
  /**
   * Resolves when a key may be registered for the tenant. Rejects with `lookup` for one that nobody made,
   * `authorization` for one that is suspended or erased, and `multi_tenant_disabled` while the node keeps one tenant.
   */
  requireOpen(tenantId: string): Promise<void>;
  /**
   * The caller as one who administers another tenant. Rejects as the use cases of `Tenants` do, and with `lookup` for a
   * tenant that nobody made or that was erased.
   */
  administer(caller: Principal, tenantId: string): Promise<Principal>;
}

export const Tenancy = defineRef<Tenancy>('multi-tenant.tenancy');

export interface TenantRecord {
  readonly id: string;
  readonly name: string | null;
  readonly status: TenantStatus;
  /** RFC 3339. */
  readonly createdAt: string;
  /** RFC 3339; null unless it is suspended. */
  readonly suspendedAt: string | null;
}

/** A tenant with what it holds, and with its end where that was asked for. */
export interface TenantReport extends TenantRecord {
  /** By word, such as `facts`; empty for a tenant that is erased or being erased. */
  readonly counts: Readonly<Record<string, number>>;
  readonly erasure: TenantErasure | null;
}

export interface TenantErasure {
  readonly requestedBy: string;
  /** RFC 3339. */
  readonly requestedAt: string;
  /** Rows deleted until now, by table. */
  readonly rows: Readonly<Record<string, number>>;
  /** The job that does it; null where none does. */
  readonly jobId: string | null;
  /** Null until everything is gone. */
  readonly receipt: ErasureReceipt | null;
}

/** Signed by the node: a tenant was erased. Members as callers read them. */
export interface ErasureReceipt {
  readonly tenant_id: string;
  readonly requested_by: string;
  readonly requested_at: string;
  readonly erased_at: string;
  /** Deleted rows by table. */
  readonly erased: Readonly<Record<string, number>>;
  /** Data that stays on purpose. */
  readonly remains: readonly string[];
  /** Copies that the node could not reach. */
  readonly limits: readonly string[];
  readonly signed_by: string;
  /** The first 16 hexadecimal digits of the SHA-256 of the raw public key; null without a key. */
  readonly key_id: string | null;
  /** base64url Ed25519 over the RFC 8785 form of the other members; null without a key. */
  readonly signature: string | null;
}

/** The key with which a tenant begins. The caller brings it; the node keeps its digest. */
export interface FirstKey {
  readonly rawKey: string;
  readonly entityUri: string;
  readonly permissions: readonly string[];
  readonly allowedScopes: readonly Scope[];
  readonly description?: string | null;
  readonly expiresAt?: string | null | undefined;
}

/** A first key as it was registered, without its secret. */
export interface RegisteredFirstKey {
  readonly id: string;
  readonly entityUri: string;
  readonly permissions: readonly string[];
  readonly allowedScopes: readonly Scope[];
  readonly expiresAt: string | null;
}

export interface NewTenant {
  readonly id: string;
  readonly name?: string | null;
  readonly firstKey: FirstKey;
}

/** The directory of tenants. Only administrators of the tenant `default`, and the node itself, may use it. */
export interface Tenants {
  /** By id, those behind `after`; at most `limit` (1 to 500, 50 by default). */
  list(
    caller: Principal,
    options?: {
      readonly status?: TenantStatus | undefined;
      readonly after?: string | undefined;
      readonly limit?: number;
    },
  ): Promise<{ readonly tenants: readonly TenantRecord[]; readonly total: number; readonly more: boolean }>;
  /** Rejects with `lookup` for one that nobody made. */
  get(caller: Principal, id: string): Promise<TenantReport>;
  /**
   * Makes a tenant together with its first key. Rejects with `conflict` for an id that was ever used, `limit_reached`
   * when there are too many, and as the registration of a key does.
   */
  create(
    caller: Principal,
    tenant: NewTenant,
  ): Promise<{ readonly tenant: TenantRecord; readonly firstKey: RegisteredFirstKey }>;
  /**
   * Renames, suspends or resumes a tenant: within a second in every process. Rejects with `conflict` for the status of
   * `default`, and for a tenant that is erased or being erased.
   */
  change(
    caller: Principal,
    id: string,
    change: { readonly status?: 'active' | 'suspended' | undefined; readonly name?: string | null | undefined },
  ): Promise<TenantRecord>;
  /**
   * Erases a tenant for ever. `confirm` repeats its id. Its keys open nothing from then on. Without `wait`, a large
   * tenant is left to a job; `onProgress` gets the number of deleted rows. Called again, it goes on where it was
   * interrupted, and returns the receipt of a tenant that is erased.
   */
  erase(
    caller: Principal,
    id: string,
    options: { readonly confirm: string; readonly wait?: boolean; onProgress?(rows: number): void },
  ): Promise<TenantReport>;
}

export const Tenants = defineRef<Tenants>('multi-tenant.tenants');

/** In the transaction that makes a tenant: registers its first key. At most one handler; a throw refuses the tenant. */
export const tenantFirstKey = defineCollectHook<
  {
    readonly caller: Principal;
    readonly tenantId: string;
    readonly key: FirstKey;
    readonly transaction: PluginTransaction;
  },
  RegisteredFirstKey
>('tenant:first-key');

/** Which tenants a plugin knows of. Those that the directory lacks are added to it. */
export const tenantsInUse = defineCollectHook<{ readonly snapshot: PluginSnapshot }, readonly string[]>(
  'tenant:in-use',
);

/** Counts of one tenant for its record, by word. */
export const tenantCounted = defineCollectHook<
  { readonly tenantId: string; readonly snapshot: PluginSnapshot },
  Readonly<Record<string, number>>
>('tenant:counted');

/** Of the id of a tenant. */
export const TENANT_PATTERN = /^[a-z0-9][a-z0-9-]{0,62}$/;
