import { objectSchema, type PageQuery } from '../../kernel/internal-api.ts';
import {
  bindCursor,
  COUNT_JSON,
  CURSOR_JSON,
  type CursorPosition,
  listOf,
  objectOf,
  orNull,
  type Route,
  STRING_JSON,
} from '../../kernel/plugin-api.ts';
import type { DayUse, UsePosition } from './audit-api.ts';
import { ENTRY_FILTERS, type EntryFilters, entryFilter } from './audit-query.ts';
import { type ListAuditParts, positionOf } from './fact-audit-routes.ts';
import { MAX_ENTRY_PAGE, READS_SOME } from './stored-audit.ts';

type UseQuery = EntryFilters & PageQuery;

const USE_JSON = objectOf({
  days: listOf(
    objectOf({
      day: STRING_JSON,
      entity_uri: STRING_JSON,
      key_id: orNull(STRING_JSON),
      reads: COUNT_JSON,
      writes: COUNT_JSON,
      recalls: COUNT_JSON,
      others: COUNT_JSON,
      tokens: COUNT_JSON,
      written_bytes: COUNT_JSON,
      recalled_bytes: COUNT_JSON,
    }),
  ),
  counted: COUNT_JSON,
  cursor: CURSOR_JSON,
});

/**
 * `GET /v1/audit/use` sums up the entries of `GET /v1/audit` and the counts of reads, a bounded number in one request.
 */
export const auditUseRoute = (parts: ListAuditParts): Route<undefined, UseQuery> => ({
  method: 'GET',
  path: '/v1/audit/use',
  summary:
    'Use of the memory by day (UTC), entity and key, from the entries and counts of reads that the caller may see, newest first',
  access: { permission: READS_SOME },
  cost: ({ query }) => query.limit,
  query: objectSchema<UseQuery>({
    ...ENTRY_FILTERS,
    cursor: { type: 'string' },
    limit: {
      type: 'integer',
      minimum: 1,
      maximum: MAX_ENTRY_PAGE,
      default: MAX_ENTRY_PAGE,
      description: 'Entries and counts of reads to sum up; the next request goes on behind them.',
    },
  }),
  answers: { 200: { json: USE_JSON } },
  example: { query: { since: '2026-01-01T00:00:00Z', limit: 200 } },
  async handle(request) {
    const { caller, query } = request;
    const filter = entryFilter(query);
    const bound = bindCursor(request, query.cursor, filter, parts);
    const after = bound.position && usePositionOf(bound.position);
    const { days, counted, next } = await parts.audit.use(caller, filter, { after, limit: query.limit });
    const cursor = next === null ? null : bound.after(cursorOf(next));
    return { status: 200, body: { days: days.map(useJson), counted, cursor } };
  },
});

const cursorOf = (position: UsePosition): CursorPosition => {
  if (!('afterReads' in position)) return [position.tsMs, position.id];
  const { day, entityUri, keyId } = position.afterReads;
  return [day, entityUri, keyId];
};

const usePositionOf = (cursor: CursorPosition): UsePosition => {
  const [day, entityUri, keyId] = cursor;
  if (keyId === undefined) return positionOf(cursor);
  return { afterReads: { day: String(day), entityUri: String(entityUri), keyId: String(keyId) } };
};

const useJson = ({
  day,
  entityUri,
  keyId,
  reads,
  writes,
  recalls,
  others,
  tokens,
  writtenBytes,
  recalledBytes,
}: DayUse) => ({
  day,
  entity_uri: entityUri,
  key_id: keyId,
  reads,
  writes,
  recalls,
  others,
  tokens,
  written_bytes: writtenBytes,
  recalled_bytes: recalledBytes,
});
