import type { Knex } from 'knex';
import type { RowPage } from '../../kernel/internal-api.ts';
import type { Hlc, ReadableTables, Scope, SqlValue } from '../../kernel/plugin-api.ts';
import { behindConfidence, compareEdgePositions, type EdgePosition } from './edge-order.ts';
import type { RelationPattern } from './relation-pattern.ts';

export const EDGES = 'graph_edges';

/**
 * Selects edges of one tenant. Excludes edges that the caller certainly cannot see; for the others, the facts decide.
 */
export interface EdgeQuery {
  readonly tenantId: string;
  /** The end of the edge at the given entity. */
  readonly end: 'subject' | 'object';
  readonly keys: readonly string[];
  /** Excludes edges to these entities. */
  readonly except: readonly string[];
  readonly scopes: readonly Scope[];
  /** Gardens whose edges are read. */
  readonly gardens: 'all' | readonly string[];
  /** True if edges outside gardens are read too. */
  readonly outside: boolean;
  readonly relation: RelationPattern | undefined;
  readonly minConfidence: number;
  /** Reads the edges that existed at this feed stamp, including those that have ended since. */
  readonly asOf: Hlc | undefined;
  /** Reads only edges to these entities. */
  readonly others?: readonly string[];
  /** Reads only edges whose order text is less. */
  readonly before?: string;
}

/** A stored edge, seen from one of its ends. Its fact determines whether it is live. */
export interface EdgeRow extends EdgePosition {
  readonly subjectKey: string;
  readonly objectKey: string;
  readonly confidence: number;
}

/** The columns for each end: edges of a subject are sorted by object, and edges of an object by subject. */
const COLUMNS = {
  subject: { known: 'subject_key', other: 'object_key', order: 'from_order' },
  object: { known: 'object_key', other: 'subject_key', order: 'to_order' },
} as const;

/** A query for either current or ended edges, which the index orders separately. */
type Going = EdgeQuery & { readonly isOver: 0 | 1 };

/** Returns at most `limit` edges after a position, in their order. */
export const pageOfEdges = async (
  query: EdgeQuery,
  after: EdgePosition | undefined,
  limit: number,
  own: ReadableTables,
): Promise<EdgeRow[]> => {
  const going = await pageOf({ ...query, isOver: 0 }, after, limit, own);
  if (query.asOf === undefined) return going;
  const over = await pageOf({ ...query, isOver: 1 }, after, limit, own);
  return over.length === 0 ? going : [...going, ...over].sort(compareEdgePositions).slice(0, limit);
};

/** Returns one page of current or of ended edges. */
const pageOf = async (
  query: Going,
  after: EdgePosition | undefined,
  limit: number,
  own: ReadableTables,
): Promise<EdgeRow[]> => {
  const columns = COLUMNS[query.end];
  const order = [columns.order, columns.other, 'relation_key', 'fact_id'] as const;
  if (after === undefined && isPlain(query)) return firstOf(query, order, limit, own);
  const built = matching(query, own);
  if (after !== undefined) {
    const otherKey = hidden(own, query, columns.other)(after.otherKey);
    built.where(columns.order, '>=', after.order).whereNot((same) => {
      same.where(columns.order, after.order).where((before) => {
        before.where(columns.other, '<', otherKey).orWhere((named) => {
          named.where(columns.other, otherKey).where((earlier) => {
            earlier.where('relation_key', '<', after.relationKey).orWhere((related) => {
              related.where('relation_key', after.relationKey).where('fact_id', '<=', after.factId);
            });
          });
        });
      });
    });
  }
  const rows: Record<string, SqlValue>[] = await built.orderBy([...order]).limit(limit);
  return rows.map((row) => edgeOf(row, columns));
};

/** Returns the first edges of the seeds. Each recall runs this query, so its statements stay prepared. */
const firstOf = async (
  query: Going,
  orderBy: RowPage['orderBy'],
  limit: number,
  own: ReadableTables,
): Promise<EdgeRow[]> => {
  const { tenantId, end, keys, scopes, gardens, outside, isOver, minConfidence } = query;
  const columns = COLUMNS[end];
  const where = {
    tenant_id: tenantId,
    [columns.known]: keys.map(hidden(own, query, columns.known)),
    is_over: isOver,
    scope: scopes,
  };
  const places = gardens === 'all' ? {} : { garden_id: outside ? [...gardens, null] : gardens };
  const page = { orderBy, limit, below: leastOf(behindConfidence(minConfidence), query.before) };
  const rows = await own.select(EDGES, { ...where, ...places }, page);
  return rows.map((row) => edgeOf(row, columns));
};

const matching = (query: Going, own: ReadableTables): Knex.QueryBuilder => {
  const { tenantId, end, keys, except, others, scopes, gardens, outside, relation, minConfidence } = query;
  const columns = COLUMNS[end];
  const hideOther = hidden(own, query, columns.other);
  const built = own(EDGES)
    .where('tenant_id', tenantId)
    .whereIn(columns.known, keys.map(hidden(own, query, columns.known)))
    .where('is_over', query.isOver)
    .whereIn('scope', [...scopes]);
  if (query.asOf !== undefined) onlyUpTo(built, query.asOf);
  const behind = behindConfidence(minConfidence);
  if (behind !== undefined) built.where(columns.order, '<', behind);
  if (except.length > 0) built.whereNotIn(columns.other, except.map(hideOther));
  if (query.before !== undefined) built.where(columns.order, '<', query.before);
  if (others !== undefined) built.whereIn(columns.other, others.map(hideOther));
  if (gardens !== 'all') {
    built.where((either) => {
      if (gardens.length > 0) either.whereIn('garden_id', [...gardens]);
      if (outside) either.orWhereNull('garden_id');
      else if (gardens.length === 0) either.whereIn('garden_id', []);
    });
  }
  if (relation === undefined) return built;
  if (relation.is === 'equal') return built.where('relation_key', relation.key);
  built.where('relation_key', '>=', relation.key);
  if (relation.beyond !== undefined) built.where('relation_key', '<', relation.beyond);
  return built;
};

/** Returns the function that gives keys the form in which the column stores them. Only objects are values of facts. */
const hidden =
  (own: ReadableTables, { tenantId }: Pick<EdgeQuery, 'tenantId'>, column: 'subject_key' | 'object_key') =>
  (key: string): string =>
    column === 'object_key' ? own.hide(tenantId, EDGES, column, key) : key;

/** True if the query reads only current edges, without conditions on their other end. */
const isPlain = ({ asOf, except, others, relation }: EdgeQuery): boolean =>
  asOf === undefined && except.length === 0 && others === undefined && relation === undefined;

const leastOf = (one: string | undefined, other: string | undefined): string | undefined =>
  one === undefined || (other !== undefined && other < one) ? other : one;

const edgeOf = (row: Record<string, SqlValue>, { order, other }: (typeof COLUMNS)[EdgeQuery['end']]): EdgeRow => ({
  order: String(row[order]),
  otherKey: String(row[other]),
  relationKey: String(row['relation_key']),
  factId: String(row['fact_id']),
  subjectKey: String(row['subject_key']),
  objectKey: String(row['object_key']),
  confidence: Number(row['confidence']),
});

const onlyUpTo = (built: Knex.QueryBuilder, { wallMs, counter }: Hlc): void => {
  built.where((known) => {
    known
      .where('feed_wall', '<', wallMs)
      .orWhere((same) => same.where('feed_wall', wallMs).where('feed_ctr', '<=', counter));
  });
};
