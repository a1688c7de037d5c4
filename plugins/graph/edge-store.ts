import type { Knex } from 'knex';
import {
  type ErasedFacts,
  type ErasureCounts,
  type Hlc,
  matchKey,
  type PluginSnapshot,
  type PluginTables,
  type PluginTransaction,
  type ReadableTables,
  type Row,
  type Scope,
  type ServiceNames,
  type SqlValue,
  type StoredFact,
} from '../../kernel/plugin-api.ts';
import { behindConfidence, compareEdgePositions, type EdgePosition, orderText } from './edge-order.ts';
import type { RelationPattern } from './relation-pattern.ts';

const EDGES = 'graph_edges';
const PROGRESS = 'graph_progress';

/**
 * Which edges of one tenant to read. It leaves out what the caller cannot see for certain; the facts decide about the
 * rest.
 */
export interface EdgeQuery {
  readonly tenantId: string;
  /** The end of the edge that is known. */
  readonly end: 'subject' | 'object';
  readonly keys: readonly string[];
  /** Edges whose other end is one of these are left out. */
  readonly except: readonly string[];
  readonly scopes: readonly Scope[];
  /** Gardens whose edges are read. */
  readonly gardens: 'all' | readonly string[];
  /** Whether edges outside gardens are read too. */
  readonly outside: boolean;
  readonly relation: RelationPattern | undefined;
  readonly minConfidence: number;
  /** Edges that were there at this stamp of the feed, those that are over by now as well. */
  readonly asOf: Hlc | undefined;
  /** Only edges whose other end is one of these. */
  readonly others?: readonly string[];
  /** Only edges whose order is less. */
  readonly before?: string;
}

/** An edge as it is stored, seen from its known end. Only its fact says whether it is live. */
export interface EdgeRow extends EdgePosition {
  readonly subjectKey: string;
  readonly objectKey: string;
  readonly confidence: number;
}

/** An edge whose fact may be over. */
export type Suspect = Pick<EdgeRow, 'subjectKey' | 'factId'>;

export type PlacedRelation = Pick<StoredFact, 'tenantId' | 'entityKey' | 'relationKey' | 'scope' | 'gardenId'>;

/** From its subject an edge is ordered by its object, and from its object by its subject. */
const COLUMNS = {
  subject: { known: 'subject_key', other: 'object_key', order: 'from_order' },
  object: { known: 'object_key', other: 'subject_key', order: 'to_order' },
} as const;

/**
 * One row per `ref` fact, written with it: who points at whom, by match key, with all that a walk can judge without the
 * fact. Whether an edge is live depends on the caller and the time, so every walk asks the facts. An edge is marked as
 * over only when it has ended for every caller and for good.
 */
export class EdgeStore {
  readonly #tables: PluginTables;
  readonly #names: ServiceNames;

  constructor(tables: PluginTables, names: ServiceNames) {
    this.#tables = tables;
    this.#names = names;
  }

  /** Adds the edges among facts that were just appended or imported. Does nothing when there are none. */
  async add(facts: readonly StoredFact[], transaction: PluginTransaction): Promise<void> {
    const rows = this.#rowsOf(facts);
    if (rows.length > 0) await this.#tables.in(transaction).insertRows(EDGES, rows);
  }

  /** Adds those edges of one tenant's facts that are not there, and puts right those that say something else. */
  renew(tenantId: string, facts: readonly StoredFact[]): Promise<void> {
    return this.#tables.write(tenantId, async (own) => {
      const wrong = await this.wrongAmong(tenantId, facts, own);
      if (wrong.length === 0) return;
      await own(EDGES)
        .where({ tenant_id: tenantId })
        .whereIn('subject_key', [...new Set(wrong.map((row) => row['subject_key'] as string))])
        .whereIn(
          'fact_id',
          wrong.map((row) => row['fact_id'] as string),
        )
        .delete();
      await own.insertRows(EDGES, wrong);
    });
  }

  /** The edges of one tenant's facts that are missing or say something else, as they should be. */
  async wrongAmong(
    tenantId: string,
    facts: readonly StoredFact[],
    own: ReadableTables,
    isRight = saysTheSame,
  ): Promise<Row[]> {
    const rows = this.#rowsOf(facts);
    if (rows.length === 0) return [];
    const known = await own.select(EDGES, {
      tenant_id: tenantId,
      subject_key: [...new Set(rows.map((row) => row['subject_key'] as string))],
      fact_id: rows.map((row) => row['fact_id'] as string),
    });
    return rows.filter((row) => {
      const same = known.filter(({ fact_id: id }) => id === row['fact_id']);
      return same.length !== 1 || !isRight(row, same[0] as Row);
    });
  }

  /** An edge is what the value of its fact says. */
  async erase({ tenantId, facts, transaction }: ErasedFacts): Promise<ErasureCounts> {
    const refs = facts.filter(({ value }) => value.type === 'ref');
    if (refs.length === 0) return {};
    const subjects = [...new Set(refs.map(({ entityKey }) => entityKey))];
    const ids = refs.map(({ id }) => id);
    const own = this.#tables.in(transaction);
    const edges = await own(EDGES)
      .where({ tenant_id: tenantId })
      .whereIn('subject_key', subjects)
      .whereIn('fact_id', ids)
      .delete();
    return { edges };
  }

  /** Returns at most `limit` edges of a triple in its place that are not marked as over, in no order. */
  async ofTriple(
    { tenantId, entityKey, relationKey, scope, gardenId }: PlacedRelation,
    limit: number,
    snapshot: PluginSnapshot,
  ): Promise<Suspect[]> {
    const rows: Record<string, SqlValue>[] = await this.#tables
      .in(snapshot)(EDGES)
      .where({ tenant_id: tenantId, subject_key: entityKey, is_over: 0, relation_key: relationKey, scope })
      .where((place) => (gardenId === null ? place.whereNull('garden_id') : place.where('garden_id', gardenId)))
      .select('fact_id')
      .limit(limit);
    return rows.map((row) => ({ subjectKey: entityKey, factId: String(row['fact_id']) }));
  }

  /** Marks edges whose facts have ended for every caller and for good. No walk reads them again. */
  markOver(tenantId: string, over: readonly Suspect[]): Promise<void> {
    return this.#tables.write(tenantId, async (own) => {
      const subjects = [...new Set(over.map(({ subjectKey }) => subjectKey))];
      await own(EDGES)
        .where({ tenant_id: tenantId, is_over: 0 })
        .whereIn('subject_key', subjects)
        .whereIn(
          'fact_id',
          over.map(({ factId }) => factId),
        )
        .update({ is_over: 1 });
    });
  }

  /** At most `limit` edges behind a position, in their order. */
  async page(
    query: EdgeQuery,
    after: EdgePosition | undefined,
    limit: number,
    snapshot: PluginSnapshot,
  ): Promise<EdgeRow[]> {
    const going = await this.#pageOf({ ...query, isOver: 0 }, after, limit, snapshot);
    if (query.asOf === undefined) return going;
    const over = await this.#pageOf({ ...query, isOver: 1 }, after, limit, snapshot);
    return over.length === 0 ? going : [...going, ...over].sort(compareEdgePositions).slice(0, limit);
  }

  /** Those that are over have an order of their own in the index. */
  async #pageOf(
    query: EdgeQuery & { readonly isOver: 0 | 1 },
    after: EdgePosition | undefined,
    limit: number,
    snapshot: PluginSnapshot,
  ): Promise<EdgeRow[]> {
    const columns = COLUMNS[query.end];
    const built = this.#matching(query, snapshot);
    if (after !== undefined) {
      built.where(columns.order, '>=', after.order).whereNot((same) => {
        same.where(columns.order, after.order).where((before) => {
          before.where(columns.other, '<', after.otherKey).orWhere((named) => {
            named.where(columns.other, after.otherKey).where((earlier) => {
              earlier.where('relation_key', '<', after.relationKey).orWhere((related) => {
                related.where('relation_key', after.relationKey).where('fact_id', '<=', after.factId);
              });
            });
          });
        });
      });
    }
    const rows: Record<string, SqlValue>[] = await built
      .orderBy([columns.order, columns.other, 'relation_key', 'fact_id'])
      .limit(limit);
    return rows.map((row) => ({
      order: String(row[columns.order]),
      otherKey: String(row[columns.other]),
      relationKey: String(row['relation_key']),
      factId: String(row['fact_id']),
      subjectKey: String(row['subject_key']),
      objectKey: String(row['object_key']),
      confidence: Number(row['confidence']),
    }));
  }

  #matching(query: EdgeQuery & { readonly isOver: 0 | 1 }, snapshot: PluginSnapshot): Knex.QueryBuilder {
    const { tenantId, end, keys, except, others, scopes, gardens, outside, relation, minConfidence } = query;
    const columns = COLUMNS[end];
    const built = this.#tables
      .in(snapshot)(EDGES)
      .where('tenant_id', tenantId)
      .whereIn(columns.known, [...keys])
      .where('is_over', query.isOver)
      .whereIn('scope', [...scopes]);
    if (query.asOf !== undefined) onlyUpTo(built, query.asOf);
    const behind = behindConfidence(minConfidence);
    if (behind !== undefined) built.where(columns.order, '<', behind);
    if (except.length > 0) built.whereNotIn(columns.other, [...except]);
    if (query.before !== undefined) built.where(columns.order, '<', query.before);
    if (others !== undefined) built.whereIn(columns.other, [...others]);
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
  }

  /** Returns the position in the feed up to which every fact has its edge. */
  async progress(): Promise<Hlc> {
    const [row] = await this.#tables.read((own) => own.select(PROGRESS, { id: 1 }));
    return { wallMs: Number(row?.['feed_wall'] ?? -1), counter: Number(row?.['feed_ctr'] ?? 0) };
  }

  async saveProgress({ wallMs, counter }: Hlc): Promise<void> {
    await this.#tables(PROGRESS).insert({ id: 1, feed_wall: wallMs, feed_ctr: counter }).onConflict('id').merge();
  }

  #rowsOf(facts: readonly StoredFact[]): Row[] {
    const rows: Row[] = [];
    for (const fact of facts) {
      // Retractions and system facts are never live.
      if (fact.value.type !== 'ref' || fact.confidence === 0 || fact.system) continue;
      const objectKey = matchKey(fact.value.v as string, this.#names);
      rows.push({
        tenant_id: fact.tenantId,
        fact_id: fact.id,
        subject_key: fact.entityKey,
        object_key: objectKey,
        relation_key: fact.relationKey,
        scope: fact.scope,
        garden_id: fact.gardenId,
        confidence: fact.confidence,
        from_order: orderText(fact.confidence, objectKey),
        to_order: orderText(fact.confidence, fact.entityKey),
        is_over: 0,
        feed_wall: fact.feed.wallMs,
        feed_ctr: fact.feed.counter,
      });
    }
    return rows;
  }
}

/** Edges from before they had a stamp are left in: their facts tell. */
const onlyUpTo = (built: Knex.QueryBuilder, { wallMs, counter }: Hlc): void => {
  built.where((known) => {
    known
      .whereNull('feed_wall')
      .orWhere('feed_wall', '<', wallMs)
      .orWhere((same) => same.where('feed_wall', wallMs).where('feed_ctr', '<=', counter));
  });
};

/** Whether a stored edge is that of its fact. Whether it is over, only time tells. */
export const saysTheSame = ({ is_over: _, ...members }: Row, stored: Row): boolean =>
  Object.entries(members).every(([name, value]) => String(stored[name] ?? null) === String(value ?? null));
