import type { Knex } from 'knex';
import {
  type AppendedBatch,
  type Clock,
  equals,
  type FactOutline,
  type PluginSnapshot,
  type PluginTables,
  type PluginTransaction,
  type Random,
  type SqlValue,
} from '../../kernel/plugin-api.ts';
import type { AuditEntry, AuditFilter, EntryPosition, RecordedEntry } from './audit-api.ts';
import { entryFromRow, rowOfEntry, rowOfFact } from './audit-entry-row.ts';

/** A filter, narrowed to what the caller may read. */
export interface StoredFilter extends AuditFilter {
  readonly tenantId: string;
  /** Only entries of this entity, whatever `entityUri` asks for. */
  readonly ownedBy?: string | undefined;
}

const TABLE = 'audit_entries';

/** The entries in the store. */
export class AuditStore {
  readonly #tables: PluginTables;
  readonly #clock: Clock;
  readonly #random: Random;

  constructor(parts: { readonly tables: PluginTables; readonly clock: Clock; readonly random: Random }) {
    this.#tables = parts.tables;
    this.#clock = parts.clock;
    this.#random = parts.random;
  }

  /** One entry for each stored fact, with one statement for the whole batch. */
  addFacts({ facts, transaction, nowMs }: AppendedBatch): Promise<void> {
    const rows = facts.map((appended) => rowOfFact(appended, this.#random.uuid(), nowMs));
    return this.#tables.in(transaction).insertRows(TABLE, rows);
  }

  async add(entries: readonly AuditEntry[], transaction: PluginTransaction): Promise<void> {
    const nowMs = this.#clock.nowMs();
    const rows = [];
    for (const entry of entries) {
      const fact = entry.factId == null ? undefined : await outlineOf(entry.factId, transaction);
      rows.push(rowOfEntry(entry, this.#random.uuid(), nowMs, fact?.feed ?? null));
    }
    if (rows.length > 0) await this.#tables.in(transaction).insertRows(TABLE, rows);
  }

  /** Entries numbered above `afterSeq`, ascending. */
  async inOrder(
    filter: StoredFilter,
    afterSeq: number,
    limit: number,
    snapshot: PluginSnapshot,
  ): Promise<RecordedEntry[]> {
    const query = await this.#matching(filter, snapshot);
    return entriesOf(await query().where('seq', '>', afterSeq).orderBy('seq').limit(limit));
  }

  /** Entries after the position, ts descending, id descending. */
  async newestFirst(
    filter: StoredFilter,
    after: EntryPosition | undefined,
    limit: number,
    snapshot: PluginSnapshot,
  ): Promise<RecordedEntry[]> {
    const matching = await this.#matching(filter, snapshot);
    const query = matching().orderBy('ts_ms', 'desc').orderBy('id', 'desc').limit(limit);
    if (after !== undefined) {
      const { tsMs, id } = after;
      // The bound alone gives the right order. Named first, it lets the index find the place.
      query.where('ts_ms', '<=', tsMs).whereNot((tie) => tie.where('ts_ms', tsMs).where('id', '>=', id));
    }
    return entriesOf(await query);
  }

  async count(filter: StoredFilter, snapshot: PluginSnapshot): Promise<number> {
    const query = await this.#matching(filter, snapshot);
    const [row] = (await query().count({ n: '*' })) as { n: number | string }[];
    return Number(row?.n ?? 0);
  }

  /** Entries about a fact that the store has, oldest first. */
  async aboutFact(filter: StoredFilter, factId: string, snapshot: PluginSnapshot): Promise<RecordedEntry[]> {
    const query = await this.#matching({ ...filter, factId }, snapshot);
    return entriesOf(await query().orderBy('seq').limit(MAX_ENTRIES_OF_FACT));
  }

  /** Returns a function that makes queries. A query itself would run as soon as it is awaited. */
  async #matching(filter: StoredFilter, snapshot: PluginSnapshot): Promise<() => Knex.QueryBuilder> {
    const equal: Record<string, SqlValue> = { tenant_id: filter.tenantId };
    if (filter.source !== undefined) equal['source'] = filter.source;
    if (filter.oidcSub !== undefined) equal['oidc_sub'] = filter.oidcSub;
    if (filter.event !== undefined) equal['event_type'] = filter.event;
    if (filter.factId !== undefined) {
      const fact = await outlineOf(filter.factId, snapshot);
      // An unknown id runs the same query, so that callers cannot tell it by its time.
      const { wallMs, counter } = fact?.feed ?? { wallMs: -1, counter: -1 };
      Object.assign(equal, { feed_wall: wallMs, feed_ctr: counter, fact_id: filter.factId });
    }
    return () => {
      const query = this.#tables.in(snapshot)(TABLE).where(equal);
      for (const entity of [filter.entityUri, filter.ownedBy]) {
        if (entity !== undefined) query.where('entity_uri', entity);
      }
      if (filter.attested === true) query.whereNotNull('attested_key_id');
      if (filter.attested === false) query.whereNull('attested_key_id');
      if (filter.sinceMs !== undefined) query.where('ts_ms', '>=', filter.sinceMs);
      if (filter.untilMs !== undefined) query.where('ts_ms', '<=', filter.untilMs);
      return query;
    };
  }
}

/** Reads no value: the caller may not see it, and a long one takes time. */
const outlineOf = async (id: string, snapshot: PluginSnapshot): Promise<FactOutline | undefined> =>
  (await snapshot.outline(equals('id', id)))[0];

/** Most entries of one fact, because this answer has no pages. */
const MAX_ENTRIES_OF_FACT = 1000;

const entriesOf = (rows: unknown): RecordedEntry[] => (rows as Record<string, SqlValue>[]).map(entryFromRow);
