import { readInstantParameter } from '../../kernel/plugin-api.ts';
import type { AuditFilter } from './audit-api.ts';

/** Filters that all lists of entries take. */
interface TimedQuery {
  readonly since?: string;
  readonly until?: string;
  readonly event_type?: string;
}

/** Of the two logs. */
export interface LogFilters extends TimedQuery {
  readonly principal?: string;
}

/** Of `GET /v1/audit` and of its export. */
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

/** Their properties in a query schema. An unknown event is no error: it finds nothing. */
export const LOG_FILTERS = { ...TIMED, principal: NAME } as const;
export const ENTRY_FILTERS = {
  ...TIMED,
  entity_uri: NAME,
  source: NAME,
  fact_id: NAME,
  oidc_sub: NAME,
  attested: { type: 'boolean' },
} as const;

/** Throws `validation` (400) for an instant that is none. */
export const logFilter = (query: LogFilters): AuditFilter => ({ ...timedFilter(query), entityUri: query.principal });

/** The same. */
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
