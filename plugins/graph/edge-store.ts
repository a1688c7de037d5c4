import {
  all,
  type ErasedFacts,
  type ErasureCounts,
  equals,
  type Hlc,
  isIn,
  isNull,
  matchKey,
  type PluginSnapshot,
  type PluginTables,
  type PluginTransaction,
  type ReadableTables,
  type Row,
  type ServiceNames,
  type StoredFact,
} from '../../kernel/plugin-api.ts';
import { type EdgePosition, orderText } from './edge-order.ts';
import { EDGES, type EdgeQuery, type EdgeRow, pageOfEdges } from './edge-pages.ts';

const PROGRESS = 'graph_progress';

/**
 * Stores one row per `ref` fact, in the fact's transaction. A row contains the match keys of both ends, and every
 * member that a walk can check without the fact. Whether an edge is live depends on the caller and the time, so every
 * walk reads the facts. An edge is marked as over only if it has ended for every caller and for good.
 */
export class EdgeStore {
  readonly #tables: PluginTables;
  readonly #names: ServiceNames;

  constructor(tables: PluginTables, names: ServiceNames) {
    this.#tables = tables;
    this.#names = names;
  }

  /**
   * Returns the order text of an edge in the list of the entity at one end. On a sealed node it does not tell the other
   * end, so edges of equal confidence are in another order there, which is the same for every reader.
   */
  orderOf(tenantId: string, confidence: number, otherKey: string): string {
    return orderText(confidence, this.#tables.hide(tenantId, EDGES, 'order', otherKey));
  }

  /** Adds the edges among facts that were just appended or imported. Does nothing when there are none. */
  async add(facts: readonly StoredFact[], transaction: PluginTransaction): Promise<void> {
    const rows = this.#rowsOf(facts);
    if (rows.length > 0) await this.#tables.in(transaction).insertRows(EDGES, rows);
  }

  /** Adds the missing edges of one tenant's facts, and corrects edges that differ from their facts. */
  renew(tenantId: string, facts: readonly StoredFact[]): Promise<void> {
    return this.#tables.writeUnlessErased(tenantId, async (own, transaction) => {
      const found = await this.wrongAmong(tenantId, facts, own);
      if (found.length === 0) return;
      const ids = found.map((row) => row['fact_id'] as string);
      // An erasure may have deleted some of these facts since they were read.
      const erased = await transaction.outline(all(equals('tenantId', tenantId), isIn('id', ids), isNull('cid')));
      const wrong = found.filter((row) => !erased.some(({ id }) => id === row['fact_id']));
      if (wrong.length === 0) return;
      await own(EDGES)
        .where({ tenant_id: tenantId })
        .whereIn(
          'fact_id',
          wrong.map((row) => row['fact_id'] as string),
        )
        .delete();
      await own.insertRows(EDGES, wrong);
    });
  }

  /** Returns the correct edges of one tenant's facts for which the stored edges are missing or differ. */
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
      fact_id: rows.map((row) => row['fact_id'] as string),
    });
    return rows.filter((row) => {
      const same = known.filter(({ fact_id: id }) => id === row['fact_id']);
      return same.length !== 1 || !isRight(row, same[0] as Row);
    });
  }

  /** Deletes the edges of erased facts, because an edge repeats the value of its fact. */
  async erase({ tenantId, facts, transaction }: ErasedFacts): Promise<ErasureCounts> {
    const ids = facts.flatMap(({ id, value }) => (value.type === 'ref' ? [id] : []));
    if (ids.length === 0) return {};
    const own = this.#tables.in(transaction);
    return { edges: await own(EDGES).where({ tenant_id: tenantId }).whereIn('fact_id', ids).delete() };
  }

  /** Marks the edges of facts that have ended for every caller and for good. No walk reads them again. */
  markOver(tenantId: string, factIds: readonly string[]): Promise<void> {
    return this.#tables.writeUnlessErased(tenantId, async (own) => {
      await own(EDGES)
        .where({ tenant_id: tenantId, is_over: 0 })
        .whereIn('fact_id', [...factIds])
        .update({ is_over: 1 });
    });
  }

  /** Returns at most `limit` edges behind a position, in their order. */
  page(query: EdgeQuery, after: EdgePosition | undefined, limit: number, snapshot: PluginSnapshot): Promise<EdgeRow[]> {
    return pageOfEdges(query, after, limit, this.#tables.in(snapshot));
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
        from_order: this.orderOf(fact.tenantId, fact.confidence, objectKey),
        to_order: this.orderOf(fact.tenantId, fact.confidence, fact.entityKey),
        is_over: 0,
        feed_wall: fact.feed.wallMs,
        feed_ctr: fact.feed.counter,
      });
    }
    return rows;
  }
}

/** True if a stored edge agrees with its fact, apart from the mark that it is over, which depends on time. */
export const saysTheSame = ({ is_over: _, ...members }: Row, stored: Row): boolean =>
  Object.entries(members).every(([name, value]) => String(stored[name] ?? null) === String(value ?? null));
