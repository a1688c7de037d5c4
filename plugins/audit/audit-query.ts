import { type Principal, readInstantParameter } from '../../kernel/plugin-api.ts';
import type { AuditFilter } from './audit-store.ts';

/** Filters that all lists of entries take. */
export interface AuditQuery {
  readonly since?: string;
  readonly until?: string;
  readonly principal?: string;
  readonly event_type?: string;
}

/** Their properties in a query schema. An unknown event is no error: it finds nothing. */
export const AUDIT_QUERY_PROPERTIES = {
  since: { type: 'string' },
  until: { type: 'string' },
  principal: { type: 'string', minLength: 1, maxLength: 2048 },
  event_type: { type: 'string', pattern: '^[a-z][a-z0-9_]{0,63}$' },
} as const;

/** Entries of the caller's tenant only. Throws `validation` (400) for an instant that is none. */
export const auditFilter = (query: AuditQuery, caller: Principal): AuditFilter => ({
  tenantId: caller.tenantId,
  principal: query.principal,
  event: query.event_type,
  sinceMs: readInstantParameter(query.since, 'since'),
  untilMs: readInstantParameter(query.until, 'until'),
});

/** True for a caller to whom the entries of others are open. */
export const seesAllEntries = ({ permissions }: Principal): boolean =>
  permissions.has('admin') || permissions.has('audit.read');
