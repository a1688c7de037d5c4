import {
  DEFAULT_TENANT,
  defineCollectHook,
  defineRef,
  NodeSelf,
  nodePrincipal,
  optional,
  type PluginSnapshot,
  type PluginTransaction,
  type Principal,
  type Scope,
  ServiceError,
} from '../../kernel/plugin-api.ts';

/** `erasing` begins with the request for the erasure. */
export type TenantStatus = 'active' | 'suspended' | 'erasing' | 'erased';

/**
 * The status of a tenant for its callers. Callers of a suspended tenant are refused, and keys of an erased one are
 * unknown.
 */
export type Standing = 'active' | 'suspended' | 'erased';

/** The tenants, for other plugins. On a node with one tenant, all callers act for `default`. */
export interface Tenancy {
  readonly isOn: boolean;
  /** Returns the tenant of callers whose key is stored for this tenant. */
  tenantOf(storedTenantId: string): string;
  /** Returns the status of a tenant. Synchronous, because every request calls it. Unknown tenants are active. */
  standingOf(tenantId: string): Standing;
  /**
   * Resolves if a key may be registered for the tenant. Rejects with `lookup` for an unknown tenant, with
   * `authorization` for a suspended or erased one, and with `multi_tenant_disabled` on a node with one tenant.
   */
  requireOpen(tenantId: string): Promise<void>;
  /**
   * Returns the caller as an administrator of another tenant. Rejects as the use cases of `Tenants` do, and with
   * `lookup` for an unknown or erased tenant.
   */
  administer(caller: Principal, tenantId: string): Promise<Principal>;
}

export const Tenancy = defineRef<Tenancy>('multi-tenant.tenancy');

/** The services by which a command acts in a tenant. */
export const TENANT_SERVICES = { self: NodeSelf, tenancy: optional(Tenancy) };

interface TenantServices {
  readonly self: NodeSelf;
  readonly tenancy: Tenancy | undefined;
}

/** Returns the node as an administrator of a tenant. Rejects with `lookup` for an unknown tenant. */
export const operatorOf = async (tenantId: string, { self, tenancy }: TenantServices): Promise<Principal> => {
  const operator = nodePrincipal(self.names);
  if (tenantId === DEFAULT_TENANT) return operator;
  if (tenancy === undefined) throw new ServiceError('lookup', `this node has the tenant ${DEFAULT_TENANT} alone`);
  return tenancy.administer(operator, tenantId);
};

/** Returns the option of a command that selects a tenant. */
export const tenantOption = (summary: string) =>
  ({ tenant: { type: 'text', value: 'id', summary, default: DEFAULT_TENANT } }) as const;

export interface TenantRecord {
  readonly id: string;
  readonly name: string | null;
  readonly status: TenantStatus;
  /** RFC 3339. */
  readonly createdAt: string;
  /** RFC 3339. Null for a tenant that is not suspended. */
  readonly suspendedAt: string | null;
}

/** A tenant with its counts, and with the progress of its erasure. */
export interface TenantReport extends TenantRecord {
  /** Counts by word, such as `facts`. Empty for a tenant that is erased or being erased. */
  readonly counts: Readonly<Record<string, number>>;
  readonly erasure: TenantErasure | null;
}

export interface TenantErasure {
  readonly requestedBy: string;
  /** RFC 3339. */
  readonly requestedAt: string;
  /** Rows deleted so far, by table. */
  readonly rows: Readonly<Record<string, number>>;
  /** The job of the erasure. Null without one. */
  readonly jobId: string | null;
  /** Null until the erasure is complete. */
  readonly receipt: ErasureReceipt | null;
}

/** The signed proof of an erasure, with the member names of the JSON form. */
export interface ErasureReceipt {
  readonly tenant_id: string;
  readonly requested_by: string;
  readonly requested_at: string;
  readonly erased_at: string;
  /** Deleted rows by table. */
  readonly erased: Readonly<Record<string, number>>;
  /** Data that the erasure keeps on purpose. */
  readonly remains: readonly string[];
  /** Copies that the node could not reach. */
  readonly limits: readonly string[];
  readonly signed_by: string;
  /** The first 16 hexadecimal digits of the SHA-256 of the raw public key; null without a key. */
  readonly key_id: string | null;
  /** base64url Ed25519 over the RFC 8785 form of the other members; null without a key. */
  readonly signature: string | null;
}

/** The first key of a tenant. The caller sends the key, and the node stores its digest. */
export interface FirstKey {
  readonly rawKey: string;
  readonly entityUri: string;
  readonly permissions: readonly string[];
  readonly allowedScopes: readonly Scope[];
  readonly description?: string | null;
  readonly expiresAt?: string | null | undefined;
}

/** The record of a first key, without its secret. */
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
  /** Lists tenants by id, starting after `after`, at most `limit` (1 to 500, 50 by default). */
  list(
    caller: Principal,
    options?: {
      readonly status?: TenantStatus | undefined;
      readonly after?: string | undefined;
      readonly limit?: number;
    },
  ): Promise<{ readonly tenants: readonly TenantRecord[]; readonly total: number; readonly more: boolean }>;
  /** Rejects with `lookup` for an unknown tenant. */
  get(caller: Principal, id: string): Promise<TenantReport>;
  /**
   * Creates a tenant together with its first key. Rejects with `conflict` for an id that was ever used, and with
   * `limit_reached` if there are too many tenants. Also rejects as the registration of a key does.
   */
  create(
    caller: Principal,
    tenant: NewTenant,
  ): Promise<{ readonly tenant: TenantRecord; readonly firstKey: RegisteredFirstKey }>;
  /**
   * Renames, suspends or resumes a tenant. Takes effect within a second in every process. Rejects with `conflict` for a
   * change to the status of `default`, and for a tenant that is erased or being erased.
   */
  change(
    caller: Principal,
    id: string,
    change: { readonly status?: 'active' | 'suspended' | undefined; readonly name?: string | null | undefined },
  ): Promise<TenantRecord>;
  /**
   * Erases a tenant for ever. `confirm` repeats its id. Its keys become invalid at once. Without `wait`, a job erases a
   * large tenant. `onProgress` gets the number of deleted rows. A repeated call resumes an interrupted erasure, and
   * returns the receipt of an erased tenant.
   */
  erase(
    caller: Principal,
    id: string,
    options: { readonly confirm: string; readonly wait?: boolean; onProgress?(rows: number): void },
  ): Promise<TenantReport>;
}

export const Tenants = defineRef<Tenants>('multi-tenant.tenants');

/**
 * Registers the first key of a tenant in the transaction that creates the tenant. At most one handler. An error refuses
 * the tenant.
 */
export const tenantFirstKey = defineCollectHook<
  {
    readonly caller: Principal;
    readonly tenantId: string;
    readonly key: FirstKey;
    readonly transaction: PluginTransaction;
  },
  RegisteredFirstKey
>('tenant:first-key');

/** Collects the tenants that a plugin has data of. The directory adds missing ones. */
export const tenantsInUse = defineCollectHook<{ readonly snapshot: PluginSnapshot }, readonly string[]>(
  'tenant:in-use',
);

/** Collects counts of one tenant by word, for its report. */
export const tenantCounted = defineCollectHook<
  { readonly tenantId: string; readonly snapshot: PluginSnapshot },
  Readonly<Record<string, number>>
>('tenant:counted');

/** The pattern of a tenant id. */
export const TENANT_PATTERN = /^[a-z0-9][a-z0-9-]{0,62}$/;
