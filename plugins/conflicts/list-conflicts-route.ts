import {
  bindCursor,
  type Clock,
  type CursorCodec,
  type CursorPosition,
  createFactJson,
  type Facts,
  formatInstant,
  type NodeSelf,
  type PluginTables,
  type Route,
  schema,
} from '../../kernel/plugin-api.ts';
import { type ConflictView, listConflicts, type Position, type StatusFilter } from './list-conflicts.ts';

interface Query {
  readonly status: StatusFilter;
  readonly cursor?: string;
  readonly limit: number;
}

export interface ListParts {
  readonly facts: Facts;
  readonly clock: Clock;
  readonly cursors: CursorCodec;
  readonly self: NodeSelf;
  readonly tables: PluginTables;
}

export function listConflictsRoute(parts: ListParts): Route<undefined, Query> {
  const conflictJson = createConflictJson(parts.self);
  return {
    method: 'GET',
    path: '/v1/conflicts',
    summary: 'Contradictions that the caller can see, newest first',
    access: { permission: 'read' },
    query: schema<Query>({
      type: 'object',
      properties: {
        status: { type: 'string', enum: ['unresolved', 'resolved', 'all'], default: 'unresolved' },
        cursor: { type: 'string' },
        limit: { type: 'integer', minimum: 1, maximum: 500, default: 50 },
      },
    }),
    async handle(request) {
      const { status, limit, cursor: sent } = request.query;
      const bound = bindCursor(request, sent, status, parts);
      const after = bound.position && positionOf(bound.position);
      const { found, more } = await parts.facts.read(request.caller, 'query', (reader) =>
        listConflicts(reader, parts.tables, status, after, limit + 1),
      );
      const { list, cursor } = bound.page(found, limit, {
        positionOf: ({ record }) => [record.detectedMs, record.id],
        toJson: conflictJson,
        more,
      });
      return { status: 200, body: { conflicts: list, cursor, has_more: cursor !== null } };
    },
  };
}

const positionOf = ([detectedMs, id]: CursorPosition): Position => ({ detectedMs: Number(detectedMs), id: String(id) });

/** The conflict object of wire contract 5.1. */
function createConflictJson(self: NodeSelf): (view: ConflictView) => Record<string, unknown> {
  const factJson = createFactJson(self);
  return ({ record, factA, factB, members, truncated }) => ({
    conflict_id: self.names.conflictId(record.id),
    fact_a: factJson(factA),
    fact_b: factJson(factB),
    members: members.map(({ id }) => id),
    ...(truncated ? { truncated } : {}),
    status: record.status,
    resolved_by: record.resolvedBy,
    detected_at: formatInstant(record.detectedMs),
  });
}
