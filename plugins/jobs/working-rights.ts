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
  /** The gardens that the caller could read. */
  readonly gardens: FactReader['gardens'];
}

type Reader = Pick<FactReader, 'caller' | 'gardens'>;

export const rightsOf = ({ caller: { kind, permissions, allowedScopes }, gardens }: Reader): WorkingRights => ({
  kind,
  permissions: [...permissions].sort(),
  scopes: [...allowedScopes].sort(),
  gardens: gardens === 'all' ? gardens : [...gardens].sort(),
});

/** The creator of a job, with the rights at the time of the request. */
export const creatorOf = (
  { tenantId, creator }: Pick<JobRun, 'tenantId' | 'creator'>,
  { kind, permissions, scopes }: Omit<WorkingRights, 'gardens'>,
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
 * fewer scopes or gardens, and, if it has `admin`, more than a caller without it.
 */
export const coversRights = (payload: JobData, reader: Reader): boolean => {
  const { permissions: needed, scopes, gardens } = payload as Partial<WorkingRights>;
  if (needed === undefined || scopes === undefined || gardens === undefined) return false;
  if (needed.includes('admin') && !reader.caller.permissions.has('admin')) return false;
  return seesAllOf(reader, { scopes, gardens });
};

/** Returns true if a job's caller, who reads these gardens now, has joined none of them since its request. */
export const hadGardens = ({ gardens: had }: Pick<WorkingRights, 'gardens'>, gardens: Reader['gardens']): boolean =>
  had === 'all' || (gardens !== 'all' && gardens.every((garden) => had.includes(garden)));

/** The scopes and gardens whose facts the counts of a result include. Plain JSON. */
export interface CountedView {
  readonly scopes: readonly Scope[];
  readonly gardens: FactReader['gardens'];
}

/** Returns true if a reader sees every counted fact. Only such readers see the counts. */
export const seesAllOf = ({ caller, gardens }: Reader, counted: CountedView): boolean =>
  counted.scopes.every((scope) => caller.allowedScopes.has(scope)) &&
  (gardens === 'all' || (counted.gardens !== 'all' && counted.gardens.every((garden) => gardens.includes(garden))));
