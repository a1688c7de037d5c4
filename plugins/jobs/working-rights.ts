import type { FactReader, Principal, Scope } from '../../kernel/plugin-api.ts';
import type { JobData, JobRun } from './jobs-api.ts';

/**
 * The rights of a caller at the time of its request, for a job that acts with these rights. Plain JSON, for the
 * payload.
 */
export interface WorkingRights {
  readonly kind: Principal['kind'];
  readonly permissions: readonly string[];
  readonly scopes: readonly Scope[];
}

export const rightsOf = ({ kind, permissions, allowedScopes }: Principal): WorkingRights => ({
  kind,
  permissions: [...permissions].sort(),
  scopes: [...allowedScopes].sort(),
});

/** The creator of a job, with the rights at the time of the request. */
export const creatorOf = (
  { tenantId, creator }: Pick<JobRun, 'tenantId' | 'creator'>,
  { kind, permissions, scopes }: WorkingRights,
): Principal => ({
  kind,
  entityUri: creator,
  permissions: new Set(permissions),
  allowedScopes: new Set(scopes),
  tenantId,
  keyId: null,
  oidcSub: null,
});

/**
 * Implements `JobHandler.covers` for jobs whose payload holds `WorkingRights`. The job sees more than a caller with
 * fewer scopes, and, if it has `admin`, more gardens than a caller without it.
 */
export const coversRights = (payload: JobData, { permissions, allowedScopes }: Principal): boolean => {
  const { permissions: needed, scopes } = payload as Partial<WorkingRights>;
  if (needed === undefined || scopes === undefined) return false;
  return scopes.every((scope) => allowedScopes.has(scope)) && (!needed.includes('admin') || permissions.has('admin'));
};

/** The scopes and gardens whose facts the counts of a result include. Plain JSON. */
export interface CountedView {
  readonly scopes: readonly Scope[];
  readonly gardens: FactReader['gardens'];
}

/** Returns true if a reader sees every counted fact. Only such readers see the counts. */
export const seesAllOf = ({ caller, gardens }: FactReader, counted: CountedView): boolean =>
  counted.scopes.every((scope) => caller.allowedScopes.has(scope)) &&
  (gardens === 'all' || (counted.gardens !== 'all' && counted.gardens.every((garden) => gardens.includes(garden))));
