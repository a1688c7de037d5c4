import { hasForbiddenCodePoint, isWithinCharacters } from '../../kernel/internal-api.ts';
import {
  type Clock,
  DEFAULT_TENANT,
  equals,
  type HookCaller,
  memberRefusal,
  type PluginSnapshot,
  type PluginTables,
  type PluginTransaction,
  type Principal,
  requireLimit,
  requirePermission,
  ServiceError,
} from '../../kernel/plugin-api.ts';
import { ADMIN_ACTION, type AuditLog } from '../audit/audit-api.ts';
import type { JobQueue } from '../jobs/jobs-api.ts';
import {
  type NewTenant,
  type RegisteredFirstKey,
  TENANT_PATTERN,
  type TenantRecord,
  type TenantReport,
  type Tenants,
  tenantCounted,
  tenantFirstKey,
  tenantsInUse,
} from './multi-tenant-api.ts';
import { MULTI_TENANT_DISABLED } from './multi-tenant-words.ts';
import type { TenantDirectory } from './tenant-directory.ts';
import type { TenantEraser } from './tenant-eraser.ts';
import { erasureOf, newTenant, recordOfTenant, type StoredTenant } from './tenant-row.ts';
import type { TenantStandings } from './tenant-standings.ts';

export const MAX_TENANTS_PAGE = 500;
export const DEFAULT_TENANTS_PAGE = 50;
export const MAX_NAME_LENGTH = 1024;
/** The maximum number of tenants. Erased tenants do not count. */
const MOST_TENANTS = 10_000;
/** Transactions that a request makes before a job continues the work. */
const STEPS_OF_A_REQUEST = 8;
/** Start delay of the job, so that it does not compete with the request. */
const JOB_DELAY_MS = 2_000;
export const ERASURE_JOB = 'tenant.erase';

export interface DirectoryParts {
  readonly isOn: boolean;
  readonly tables: PluginTables;
  readonly directory: TenantDirectory;
  readonly standings: TenantStandings;
  readonly eraser: TenantEraser;
  readonly hooks: HookCaller;
  readonly clock: Clock;
  readonly audit: AuditLog | undefined;
  readonly jobs: JobQueue | undefined;
  /** Writes beside the store that a suspension ends, so that the next start does not repeat it. */
  resumes(tenant: StoredTenant): Promise<void>;
}

/** The directory of tenants, as administrators of `default` use it. */
export class DirectoryService implements Tenants {
  readonly #parts: DirectoryParts;
  #adopted: Promise<void> | undefined;

  constructor(parts: DirectoryParts) {
    this.#parts = parts;
  }

  async list(
    caller: Principal,
    { status, after, limit = DEFAULT_TENANTS_PAGE }: NonNullable<Parameters<Tenants['list']>[1]> = {},
  ): ReturnType<Tenants['list']> {
    await this.#require(caller);
    requireLimit(limit, MAX_TENANTS_PAGE);
    const { found, total } = await this.#parts.directory.list({ status, after }, limit);
    return { tenants: found.slice(0, limit).map(recordOfTenant), total, more: found.length > limit };
  }

  async get(caller: Principal, id: string): Promise<TenantReport> {
    await this.#require(caller);
    return this.#report(present(await this.#parts.directory.find(id)));
  }

  async create(
    caller: Principal,
    { id, name = null, firstKey }: NewTenant,
  ): Promise<{ readonly tenant: TenantRecord; readonly firstKey: RegisteredFirstKey }> {
    await this.#require(caller);
    if (!TENANT_PATTERN.test(id)) throw memberRefusal('body.id', `must match ${TENANT_PATTERN.source}`);
    checkName(name);
    const { directory, hooks, clock } = this.#parts;
    const tenant = newTenant(id, name, clock.nowMs());
    const registered = await directory.change(async (own, transaction) => {
      if ((await directory.findIn(own, id)) !== undefined) {
        throw new ServiceError('conflict', 'there is, or was, a tenant of this id: choose another one');
      }
      if ((await directory.countPresent(own)) >= MOST_TENANTS) {
        throw new ServiceError('limit_reached', `a node keeps at most ${MOST_TENANTS} tenants: erase one first`);
      }
      await directory.add(own, tenant);
      const [key] = await hooks.collect(tenantFirstKey, { caller, tenantId: id, key: firstKey, transaction });
      if (key === undefined) throw new ServiceError('unavailable', 'no plugin of this node keeps API keys');
      await this.#record(caller, 'tenant_create', id, transaction);
      return key;
    });
    return { tenant: recordOfTenant(tenant), firstKey: registered };
  }

  async change(
    caller: Principal,
    id: string,
    { status, name }: Parameters<Tenants['change']>[2],
  ): Promise<TenantRecord> {
    await this.#require(caller);
    if (name !== undefined) checkName(name);
    const { directory, clock, standings } = this.#parts;
    const changed = await directory.change(async (own, transaction) => {
      const tenant = present(await directory.findIn(own, id));
      refuseErased(tenant);
      if (status === 'suspended') refuseDefault(id, 'suspended');
      const next = { ...tenant, ...(name === undefined ? {} : { name }), ...restOf(tenant, status, clock.nowMs()) };
      if (JSON.stringify(next) === JSON.stringify(tenant)) return tenant;
      if (tenant.status === 'suspended' && next.status === 'active') await this.#parts.resumes(tenant);
      await directory.replace(own, next);
      const action = next.status === tenant.status ? 'tenant_rename' : ACTIONS[next.status];
      await this.#record(caller, action, id, transaction);
      return next;
    });
    await standings.reload();
    return recordOfTenant(changed);
  }

  async erase(
    caller: Principal,
    id: string,
    { confirm, wait = false, onProgress }: Parameters<Tenants['erase']>[2],
  ): Promise<TenantReport> {
    await this.#require(caller);
    const { directory, standings, eraser, jobs } = this.#parts;
    if (confirm !== id) throw memberRefusal('body.confirm', 'must be the id of the tenant that is to be erased');
    await directory.change(async (own, transaction) => {
      const tenant = present(await directory.findIn(own, id));
      refuseDefault(id, 'erased');
      if (tenant.status === 'erased') return;
      const jobId = (await this.#enqueue(id, caller, transaction)) ?? null;
      const { requestedBy, requestedMs } = tenant;
      const request = {
        requestedBy: requestedBy ?? caller.entityUri,
        requestedMs: requestedMs ?? this.#parts.clock.nowMs(),
      };
      await directory.replace(own, { ...tenant, ...request, status: 'erasing', jobId });
      if (tenant.status !== 'erasing') await this.#record(caller, 'tenant_erase', id, transaction);
    });
    await standings.reload();
    const isPatient = wait || jobs === undefined;
    await eraser.run(id, {
      ...(isPatient ? {} : { mostSteps: STEPS_OF_A_REQUEST }),
      ...(onProgress === undefined ? {} : { onProgress }),
    });
    return this.#report(present(await directory.find(id)));
  }

  /** Adds tenants that have keys or facts from before the directory existed. Runs once. */
  adopt(): Promise<void> {
    const { tables, hooks, directory, clock } = this.#parts;
    this.#adopted ??= tables
      .read(async (_own, snapshot) => {
        const ends = await snapshot.ledgerEnds();
        const named = await hooks.collect(tenantsInUse, { snapshot });
        return [...new Set([...ends.map(({ tenantId }) => tenantId), ...named.flat()])];
      })
      .then((ids) => directory.adopt(ids, clock.nowMs()))
      .catch((error: unknown) => {
        this.#adopted = undefined;
        throw error;
      });
    return this.#adopted;
  }

  /** Enqueues jobs for interrupted erasures. */
  async resumeErasures(entityUri: string): Promise<void> {
    for (const id of this.#parts.standings.unfinished) await this.#enqueue(id, { entityUri });
  }

  #enqueue(id: string, { entityUri }: Pick<Principal, 'entityUri'>, transaction?: PluginTransaction) {
    return this.#parts.jobs?.enqueue(
      {
        type: ERASURE_JOB,
        tenantId: DEFAULT_TENANT,
        creator: entityUri,
        payload: { tenant_id: id },
        delayMs: JOB_DELAY_MS,
        dedupe: { key: id, until: 'ended' },
      },
      transaction,
    );
  }

  async #require(caller: Principal): Promise<void> {
    requireOperator(caller, this.#parts.isOn);
    await this.adopt();
  }

  async #report(tenant: StoredTenant): Promise<TenantReport> {
    const isPresent = tenant.status === 'active' || tenant.status === 'suspended';
    const counts = isPresent ? await this.#parts.tables.read((_own, snapshot) => this.#count(tenant.id, snapshot)) : {};
    return { ...recordOfTenant(tenant), counts, erasure: erasureOf(tenant) };
  }

  async #count(tenantId: string, snapshot: PluginSnapshot): Promise<Record<string, number>> {
    const facts = await snapshot.count(equals('tenantId', tenantId));
    return Object.assign({ facts }, ...(await this.#parts.hooks.collect(tenantCounted, { tenantId, snapshot })));
  }

  /** Adds an entry to the audit log of the operator, in the tenant `default`. */
  async #record(caller: Principal, action: string, id: string, transaction: PluginTransaction): Promise<void> {
    const { entityUri, oidcSub } = caller;
    const detail = { action, tenant_id: id };
    await this.#parts.audit?.record(
      { event: ADMIN_ACTION, tenantId: DEFAULT_TENANT, entityUri, oidcSub, detail },
      transaction,
    );
  }
}

const ACTIONS = {
  active: 'tenant_resume',
  suspended: 'tenant_suspend',
  erasing: 'tenant_erase',
  erased: 'tenant_erased',
} as const;

/** Throws unless the caller administers the node: an administrator of `default`, on a node with several tenants. */
export const requireOperator = (caller: Principal, isOn: boolean): void => {
  requirePermission(caller, 'admin');
  if (caller.kind !== 'node' && caller.tenantId !== DEFAULT_TENANT) {
    throw new ServiceError('authorization', `only administrators of the tenant ${DEFAULT_TENANT} administer tenants`);
  }
  if (!isOn) throw tenancyIsOff();
};

export const tenancyIsOff = (): ServiceError =>
  new ServiceError(MULTI_TENANT_DISABLED, 'this node keeps one tenant: set SVC_MULTI_TENANT_ENABLED=true for several');

const present = (tenant: StoredTenant | undefined): StoredTenant => {
  if (tenant === undefined) throw new ServiceError('lookup', 'there is no such tenant');
  return tenant;
};

const refuseErased = ({ status }: StoredTenant): void => {
  if (status === 'active' || status === 'suspended') return;
  throw new ServiceError('conflict', 'the tenant is erased: nothing of it can be changed any more');
};

const refuseDefault = (id: string, change: string): void => {
  if (id === DEFAULT_TENANT) {
    throw new ServiceError('conflict', `the tenant ${DEFAULT_TENANT} is the operator's own and cannot be ${change}`);
  }
};

const restOf = (
  { suspendedMs }: StoredTenant,
  status: 'active' | 'suspended' | undefined,
  nowMs: number,
): Partial<StoredTenant> => {
  if (status === undefined) return {};
  return status === 'active' ? { status, suspendedMs: null } : { status, suspendedMs: suspendedMs ?? nowMs };
};

const checkName = (name: string | null): void => {
  if (name === null) return;
  if (name.trim() !== '' && !hasForbiddenCodePoint(name) && isWithinCharacters(name, MAX_NAME_LENGTH)) return;
  throw memberRefusal('body.name', `must be text of at most ${MAX_NAME_LENGTH} characters`);
};
