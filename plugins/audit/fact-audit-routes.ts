import {
  arrayReply,
  bindCursor,
  type Clock,
  type CursorCodec,
  type CursorPosition,
  type Facts,
  type HookCaller,
  type Principal,
  type Route,
  schema,
} from '../../kernel/plugin-api.ts';
import { CSV_COLUMNS, csvCells } from './audit-entry-json.ts';
import { ENTRY_FILTERS, type EntryFilters, entryFilter } from './audit-query.ts';
import type { AuditFilter, AuditPosition, AuditStore } from './audit-store.ts';
import { csvLine } from './csv-line.ts';
import { type ReadEntry, readFactEntries } from './read-fact-entries.ts';

interface ListQuery extends EntryFilters {
  readonly cursor?: string;
  readonly limit: number;
}

export interface FactAuditParts {
  readonly store: AuditStore;
  readonly facts: Facts;
  readonly hooks: HookCaller;
  readonly clock: Clock;
  readonly cursors: CursorCodec;
}

const ACCESS = { permission: ['read', 'admin', 'audit.read'] } as const;

/** Rows held in memory at a time while exporting. */
const EXPORT_PAGE = 500;

/** `GET /v1/audit`: the caller's own entries, or all of the tenant, with what the caller may see of their facts. */
export const listAuditRoute = (parts: FactAuditParts): Route<undefined, ListQuery> => ({
  method: 'GET',
  path: '/v1/audit',
  summary: 'Audit entries with their facts, newest first; all of the tenant for admin and audit.read, else own ones',
  access: ACCESS,
  query: schema<ListQuery>({
    type: 'object',
    properties: {
      ...ENTRY_FILTERS,
      cursor: { type: 'string' },
      limit: { type: 'integer', minimum: 1, maximum: 500, default: 50 },
    },
  }),
  handle(request) {
    const { store, facts, hooks } = parts;
    const { caller, query } = request;
    const filter = entryFilter(query, caller);
    const bound = bindCursor(request, query.cursor, filter, parts);
    const after = bound.position && positionOf(bound.position);
    return facts.read(caller, 'get', async (reader) => {
      const found = await store.newestFirst(filter, after, query.limit + 1, reader.snapshot);
      const entries = await readFactEntries(found, reader, hooks);
      const { list, cursor } = bound.page(entries, query.limit, {
        positionOf: ({ entry: { tsMs, id } }) => [tsMs, id],
        toJson: ({ json }) => json,
        more: entries.length < found.length,
      });
      const total = await store.count(filter, reader.snapshot);
      return { status: 200, body: { entries: list, total, cursor } };
    });
  },
});

/** `GET /v1/audit/facts/{id}`: an unknown fact and one without entries for the caller alike answer an empty array. */
export const factAuditRoute = ({ store, facts, hooks }: FactAuditParts): Route<{ id: string }> => ({
  method: 'GET',
  path: '/v1/audit/facts/:id',
  summary: 'Audit entries of one fact, oldest first',
  access: ACCESS,
  params: schema<{ id: string }>({ type: 'object', properties: { id: { type: 'string' } } }),
  handle({ caller, params }) {
    const filter = entryFilter({}, caller);
    return facts.read(caller, 'get', async (reader) => {
      const entries = await store.aboutFact(filter, params.id, reader.snapshot);
      const read = await readFactEntries(entries, reader, hooks);
      return arrayReply(read, ({ json }) => json, read.length < entries.length);
    });
  },
});

/** `GET /v1/audit/export`: what `GET /v1/audit` lists, all of it, as CSV. */
export const exportAuditRoute = (parts: FactAuditParts): Route<undefined, EntryFilters> => ({
  method: 'GET',
  path: '/v1/audit/export',
  summary: 'Audit entries with their facts as CSV, newest first',
  access: ACCESS,
  query: schema<EntryFilters>({ type: 'object', properties: ENTRY_FILTERS }),
  handle({ caller, query, signal }) {
    return {
      status: 200,
      contentType: 'text/csv; charset=utf-8; header=present',
      headers: { 'Content-Disposition': 'attachment; filename="audit.csv"' },
      text: csvText(entryFilter(query, caller), caller, signal, parts),
    };
  },
});

/** Page by page, each on its own snapshot: an export may take long, and a snapshot kept open holds up the store. */
async function* csvText(
  filter: AuditFilter,
  caller: Principal,
  signal: AbortSignal,
  { store, facts, hooks }: FactAuditParts,
): AsyncGenerator<string, void, undefined> {
  yield csvLine(CSV_COLUMNS);
  let after: AuditPosition | undefined;
  do {
    const page = await facts.read(caller, 'get', async (reader) => {
      const found = await store.newestFirst(filter, after, EXPORT_PAGE, reader.snapshot);
      const rows = await readFactEntries(found, reader, hooks);
      const isLast = found.length < EXPORT_PAGE && rows.length === found.length;
      return { last: isLast ? undefined : rows.at(-1)?.entry, rows };
    });
    yield* piecesOf(page.rows);
    after = page.last;
  } while (after !== undefined && !signal.aborted);
}

/** Lines together, up to a size: one for each piece would cost more than making them. */
function* piecesOf(rows: readonly ReadEntry[]): Generator<string> {
  let piece = '';
  for (const { json } of rows) {
    piece += csvLine(csvCells(json));
    if (piece.length < PIECE_CHARACTERS) continue;
    yield piece;
    piece = '';
  }
  if (piece !== '') yield piece;
}

const PIECE_CHARACTERS = 256 * 1024;

const positionOf = ([tsMs, id]: CursorPosition): AuditPosition => ({ tsMs: Number(tsMs), id: String(id) });
