import { readInstantParameter } from '../../kernel/internal-api.ts';
import { ServiceError } from '../../kernel/plugin-api.ts';
import type { AuditFilter } from './audit-api.ts';

/** The query parameters that all lists of entries accept. */
interface TimedQuery {
  readonly since?: string;
  readonly until?: string;
  readonly event_type?: string;
}

/** The query parameters of `GET /v1/auth/audit` and `GET /v1/admin/audit`. */
export interface LogFilters extends TimedQuery {
  readonly principal?: string;
}

/** The query parameters of `GET /v1/audit` and its export. */
export interface EntryFilters extends TimedQuery {
  readonly entity_uri?: string;
  readonly source?: string;
  readonly fact_id?: string;
  readonly oidc_sub?: string;
  readonly attested?: boolean;
}

const NAME = { type: 'string', minLength: 1, maxLength: 2048 } as const;

const TIMED = {
  since: { type: 'string' },
  until: { type: 'string' },
  event_type: { type: 'string', pattern: '^[a-z][a-z0-9_]{0,63}$' },
} as const;

/** The query schemas of the log filters. An unknown event matches nothing and is no error. */
export const LOG_FILTERS = { ...TIMED, principal: NAME } as const;
export const ENTRY_FILTERS = {
  ...TIMED,
  entity_uri: NAME,
  source: NAME,
  fact_id: NAME,
  oidc_sub: NAME,
  attested: { type: 'boolean' },
} as const;

/** Reads the filters of a log. Throws `validation` (400) for a malformed instant. */
export const logFilter = (query: LogFilters): AuditFilter => ({ ...timedFilter(query), entityUri: query.principal });

/** Reads the filters of `GET /v1/audit`. Throws `validation` (400) for a malformed instant. */
export const entryFilter = (query: EntryFilters): AuditFilter => ({
  ...timedFilter(query),
  entityUri: query.entity_uri,
  source: query.source,
  factId: query.fact_id,
  oidcSub: query.oidc_sub,
  attested: query.attested,
});

const timedFilter = (query: TimedQuery): AuditFilter => ({
  event: query.event_type,
  sinceMs: readInstantParameter(query.since, 'since'),
  untilMs: readInstantParameter(query.until, 'until'),
});

/** Reads a cursor. It is the plain number of an entry, because existing clients rely on that. */
export const seqOf = (cursor: string | undefined): number => {
  if (cursor === undefined) return 0;
  if (PLAIN_INTEGER.test(cursor)) return Number(cursor);
  throw new ServiceError('invalid_cursor', 'query.cursor must be the next_cursor of an earlier page', {
    violations: [{ path: 'query.cursor', message: 'must be an integer' }],
  });
};

const PLAIN_INTEGER = /^[0-9]{1,15}$/;
