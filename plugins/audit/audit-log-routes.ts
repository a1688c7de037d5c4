import { objectSchema, type PageQuery, pageMembers, type RequiredPermission } from '../../kernel/internal-api.ts';
import { type JsonSchema, type Route, spellList } from '../../kernel/plugin-api.ts';
import { AUDIT_READ, type Audit, type RecordedEntry } from './audit-api.ts';
import { ADMIN_LOG_JSON, adminEntryJson, LOG_JSON, logEntryJson } from './audit-entry-json.ts';
import { LOG_FILTERS, type LogFilters, logFilter, seqOf } from './audit-query.ts';
import { DEFAULT_LOG_PAGE, MAX_LOG_PAGE, READS_ALL } from './stored-audit.ts';

type LogQuery = LogFilters & PageQuery;

/** `GET /v1/auth/audit` returns the log of the caller's tenant, oldest first. */
export const authAuditRoute = (audit: Audit): Route<undefined, LogQuery> =>
  logRoute('/v1/auth/audit', READS_ALL, { toJson: logEntryJson, json: LOG_JSON }, audit);

/** `GET /v1/admin/audit` returns the same entries as `GET /v1/auth/audit`, with `detail` as text. */
export const adminAuditRoute = (audit: Audit): Route<undefined, LogQuery> =>
  logRoute('/v1/admin/audit', [AUDIT_READ], { toJson: adminEntryJson, json: ADMIN_LOG_JSON }, audit, 'admin_action');

/** The differences between the two log routes. */
interface LogForm {
  toJson(this: void, entry: RecordedEntry): Record<string, unknown>;
  readonly json: JsonSchema;
}

const logRoute = (
  path: string,
  permission: readonly RequiredPermission[],
  { toJson, json }: LogForm,
  audit: Audit,
  dimension?: string,
): Route<undefined, LogQuery> => ({
  method: 'GET',
  path,
  summary: 'Audit log of the tenant, oldest first',
  access: { permission },
  ...(dimension !== undefined && { dimension }),
  // `total` counts all matching entries.
  cost: ({ query }) => Math.max(250, query.limit),
  query: objectSchema<LogQuery>({
    ...LOG_FILTERS,
    ...pageMembers(DEFAULT_LOG_PAGE, MAX_LOG_PAGE),
  }),
  answers: { 200: { json } },
  example: { query: { event_type: 'fact_write', since: '2026-01-01T00:00:00Z', limit: 50 } },
  async handle({ caller, query }) {
    const filter = logFilter(query);
    const page = { afterSeq: seqOf(query.cursor), limit: query.limit };
    const { entries, total, more } = await audit.log(caller, filter, page);
    const list = await spellList(entries, toJson);
    const follows = more || list.isCut;
    const nextCursor = follows ? (entries[list.count - 1]?.seq ?? null) : null;
    return { status: 200, body: { entries: list, total, next_cursor: nextCursor } };
  },
});
