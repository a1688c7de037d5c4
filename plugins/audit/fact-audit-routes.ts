import { type CursorParts, objectSchema, type PageQuery, pageMembers, TurnBudget } from '../../kernel/internal-api.ts';
import { arrayReply, bindCursor, type CursorPosition, component, listOf, type Route } from '../../kernel/plugin-api.ts';
import type { Audit, EntryPosition, EntryWithFact } from './audit-api.ts';
import { CSV_COLUMNS, csvCells, FACT_ENTRY, FACT_ENTRY_PAGE_JSON, factEntryJson } from './audit-entry-json.ts';
import { ENTRY_FILTERS, type EntryFilters, entryFilter } from './audit-query.ts';
import { csvLine } from './csv-line.ts';
import { DEFAULT_ENTRY_PAGE, MAX_ENTRY_PAGE, READS_SOME } from './stored-audit.ts';

type ListQuery = EntryFilters & PageQuery;

export interface ListAuditParts extends CursorParts {
  readonly audit: Audit;
}

const ACCESS = { permission: READS_SOME } as const;

/** `GET /v1/audit` returns the caller's own entries, or all of the tenant, with the visible facts. */
export const listAuditRoute = (parts: ListAuditParts): Route<undefined, ListQuery> => ({
  method: 'GET',
  path: '/v1/audit',
  summary: 'Audit entries with their facts, newest first; all of the tenant for admin and audit.read, else own ones',
  access: ACCESS,
  // `total` counts all matching entries.
  cost: ({ query }) => Math.max(250, query.limit),
  query: objectSchema<ListQuery>({
    ...ENTRY_FILTERS,
    ...pageMembers(DEFAULT_ENTRY_PAGE, MAX_ENTRY_PAGE),
  }),
  answers: { 200: { json: FACT_ENTRY_PAGE_JSON } },
  example: { query: { entity_uri: 'project:atlas', event_type: 'fact_write', limit: 20 } },
  async handle(request) {
    const { caller, query } = request;
    const filter = entryFilter(query);
    const bound = bindCursor(request, query.cursor, filter, parts);
    const after = bound.position && positionOf(bound.position);
    const { entries, total, more } = await parts.audit.entries(caller, filter, { after, limit: query.limit });
    const { list, cursor } = await bound.page(entries, query.limit, {
      positionOf: ({ entry: { tsMs, id } }) => [tsMs, id],
      toJson: factEntryJson,
      more,
    });
    return { status: 200, body: { entries: list, total, cursor } };
  },
});

/**
 * `GET /v1/audit/facts/{id}` returns an empty array for an unknown fact, and if this caller may read none of its
 * entries.
 */
export const factAuditRoute = (audit: Audit): Route<{ id: string }> => ({
  method: 'GET',
  path: '/v1/audit/facts/:id',
  summary: 'Audit entries of one fact, oldest first',
  access: ACCESS,
  params: objectSchema<{ id: string }>({ id: { type: 'string' } }),
  answers: { 200: { json: listOf(component(FACT_ENTRY)) } },
  example: { params: { id: '5f0c2b1e-7a64-4a0e-9a0b-0d5a3f2f9c11' } },
  async handle({ caller, params }) {
    const { entries, more } = await audit.ofFact(caller, params.id);
    return arrayReply(entries, factEntryJson, more);
  },
});

interface ExportQuery extends EntryFilters {
  readonly format?: 'csv' | 'jsonl';
}

const JSON_LINES = 'application/x-ndjson';

/**
 * `GET /v1/audit/export` returns all entries of `GET /v1/audit`, as CSV (newest first) or as JSON lines (oldest first).
 */
export const exportAuditRoute = (audit: Audit): Route<undefined, ExportQuery> => ({
  method: 'GET',
  path: '/v1/audit/export',
  cost: 1_000,
  summary: 'Audit entries with their facts, as CSV newest first, or as JSON lines with their links oldest first',
  access: ACCESS,
  query: objectSchema<ExportQuery>({ ...ENTRY_FILTERS, format: { type: 'string', enum: ['csv', 'jsonl'] } }),
  answers: { 200: { text: ['text/csv', JSON_LINES] } },
  example: { query: { format: 'csv', since: '2026-01-01T00:00:00Z' } },
  handle({ caller, query: { format, ...query }, header, signal }) {
    const filter = entryFilter(query);
    const wantsLines = format === undefined ? header('accept')?.includes(JSON_LINES) === true : format === 'jsonl';
    if (wantsLines) {
      return {
        status: 200,
        contentType: JSON_LINES,
        headers: { 'Content-Disposition': 'attachment; filename="audit.jsonl"' },
        text: audit.exportLines(caller, filter, signal),
      };
    }
    return {
      status: 200,
      contentType: 'text/csv; charset=utf-8; header=present',
      headers: { 'Content-Disposition': 'attachment; filename="audit.csv"' },
      text: csvText(audit.export(caller, filter, signal)),
    };
  },
});

async function* csvText(parts: AsyncIterable<readonly EntryWithFact[]>): AsyncGenerator<string, void, undefined> {
  yield csvLine(CSV_COLUMNS);
  for await (const entries of parts) yield* piecesOf(entries);
}

/** Joins lines into larger chunks, because sending each line as a chunk would cost more than building it. */
async function* piecesOf(entries: readonly EntryWithFact[]): AsyncGenerator<string> {
  const budget = new TurnBudget();
  let piece = '';
  for (const entry of entries) {
    await budget.take();
    piece += csvLine(csvCells(factEntryJson(entry)));
    if (piece.length < PIECE_CHARACTERS) continue;
    yield piece;
    piece = '';
  }
  if (piece !== '') yield piece;
}

const PIECE_CHARACTERS = 256 * 1024;

export const positionOf = ([tsMs, id]: CursorPosition): EntryPosition => ({ tsMs: Number(tsMs), id: String(id) });
