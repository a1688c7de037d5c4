import { type Facts, type Permission, type Route, ServiceError, schema, spellList } from '../../kernel/plugin-api.ts';
import { adminEntryJson, logEntryJson } from './audit-entry-json.ts';
import type { RecordedEntry } from './audit-entry-row.ts';
import { LOG_FILTERS, type LogFilters, logFilter } from './audit-query.ts';
import type { AuditStore } from './audit-store.ts';

interface LogQuery extends LogFilters {
  readonly cursor?: string;
  readonly limit: number;
}

export interface LogRouteParts {
  readonly store: AuditStore;
  readonly facts: Facts;
}

/** `GET /v1/auth/audit`: the whole log of the caller's tenant, oldest first. */
export const authAuditRoute = (parts: LogRouteParts): Route<undefined, LogQuery> =>
  logRoute('/v1/auth/audit', ['admin', 'audit.read'], logEntryJson, parts);

/** `GET /v1/admin/audit`: the same with `detail` as text. */
export const adminAuditRoute = (parts: LogRouteParts): Route<undefined, LogQuery> =>
  logRoute('/v1/admin/audit', ['audit.read'], adminEntryJson, parts, 'admin_action');

const logRoute = (
  path: string,
  permission: readonly Permission[],
  toJson: (entry: RecordedEntry) => Record<string, unknown>,
  { store, facts }: LogRouteParts,
  dimension?: string,
): Route<undefined, LogQuery> => ({
  method: 'GET',
  path,
  summary: 'Audit log of the tenant, oldest first',
  access: { permission },
  ...(dimension !== undefined && { dimension }),
  query: schema<LogQuery>({
    type: 'object',
    properties: {
      ...LOG_FILTERS,
      cursor: { type: 'string' },
      limit: { type: 'integer', minimum: 1, maximum: 1000, default: 200 },
    },
  }),
  handle({ caller, query }) {
    const filter = logFilter(query, caller);
    const afterSeq = seqOf(query.cursor);
    return facts.read(caller, 'query', async ({ snapshot }) => {
      const found = await store.inOrder(filter, afterSeq, query.limit + 1, snapshot);
      const entries = spellList(found.slice(0, query.limit), toJson);
      const total = await store.count(filter, snapshot);
      const nextCursor = found.length > entries.count ? (found[entries.count - 1]?.seq ?? null) : null;
      return { status: 200, body: { entries, total, next_cursor: nextCursor } };
    });
  },
});

/** The cursor of these two lists is a plain number, which existing clients count on. */
const seqOf = (cursor: string | undefined): number => {
  if (cursor === undefined) return 0;
  if (PLAIN_INTEGER.test(cursor)) return Number(cursor);
  throw new ServiceError('invalid_cursor', 'query.cursor must be the next_cursor of an earlier page', {
    violations: [{ path: 'query.cursor', message: 'must be an integer' }],
  });
};

const PLAIN_INTEGER = /^[0-9]{1,15}$/;
