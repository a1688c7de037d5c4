import type { FactReader, Principal, Scope } from '../../kernel/plugin-api.ts';
import type { JobData, JobRun } from './jobs-api.ts';

/** The rights of a caller when it requested a job that works in its name. Plain JSON, for the job's payload. */
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

/** The creator of a job, with the rights of its request. */
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
 * `JobHandler.covers` of jobs whose payload holds `WorkingRights`: a caller with fewer scopes sees less than the job
 * does, and one without `admin` sees fewer gardens than a job that has it.
 */
export const coversRights = (payload: JobData, { permissions, allowedScopes }: Principal): boolean => {
  const { permissions: needed, scopes } = payload as Partial<WorkingRights>;
  if (needed === undefined || scopes === undefined) return false;
  return scopes.every((scope) => allowedScopes.has(scope)) && (!needed.includes('admin') || permissions.has('admin'));
};

/** The view that the counts of a result are made of. Plain JSON. */
export interface CountedView {
  readonly scopes: readonly Scope[];
  readonly gardens: FactReader['gardens'];
}

/** Whether a reader sees all that was counted. Counts are for such readers alone. */
export const seesAllOf = ({ caller, gardens }: FactReader, counted: CountedView): boolean =>
  counted.scopes.every((scope) => caller.allowedScopes.has(scope)) &&
  (gardens === 'all' || (counted.gardens !== 'all' && counted.gardens.every((garden) => gardens.includes(garden))));
