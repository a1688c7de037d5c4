import { limitedEntity, valueBytesOf } from '../../kernel/internal-api.ts';
import {
  type AppendBatch,
  type ErasedFacts,
  type ErasureCounts,
  type HookCaller,
  isIn,
  type PluginTables,
  type PluginTransaction,
  type Row,
  ServiceError,
  type StoredFact,
  type WritableTables,
} from '../../kernel/plugin-api.ts';
import { limitShared, type QuotaHolder } from './rate-limits-api.ts';
import { STORED_TABLE } from './rate-limits-migrations.ts';

export interface StoredBytesParts {
  readonly tables: PluginTables;
  readonly hooks: HookCaller;
  readonly maxBytes: number;
}

/** The number of facts that one transaction counts. */
const FACTS_AT_ONCE = 500;
/** The entity column of the row with the progress of the count. */
const TENANT = '';

/** The byte counts of a tenant within a transaction. */
interface Counts {
  /** The ledger number up to which facts are counted. */
  countedTo: number;
  /** The stored bytes by the holder of the limit, for the holders read so far. */
  readonly bytes: Map<string, number>;
}

type NamedFact = Pick<StoredFact, 'entity' | 'relation' | 'source'>;

/**
 * Counts the stored bytes of each entity, in the transactions that store facts. Facts of a person's programs count for
 * the person. It records its progress in the ledger, so facts stored while the plugin was off are counted later, before
 * any newer fact.
 */
export class StoredBytes {
  readonly #parts: StoredBytesParts;
  readonly #counts = new WeakMap<PluginTransaction, Counts>();

  constructor(parts: StoredBytesParts) {
    this.#parts = parts;
  }

  /** Refuses each fact that exceeds a client's limit. Admins have no limit. */
  async judge({ items, transaction }: AppendBatch): Promise<void> {
    const open = items.filter((item) => item.open && item.byClient);
    const [first] = open;
    if (first === undefined) return;
    const { tenantId } = first.fact;
    const callers = open.map(({ caller }) => caller.entityUri);
    const holderOf = await this.#holdersOf(transaction, tenantId, callers);
    const keys = callers.map(holderOf);
    const { bytes } = await this.#countsOf(transaction, tenantId, keys);
    const after = new Map(bytes);
    for (const [at, item] of open.entries()) {
      const key = keys[at] as string;
      const total = (after.get(key) ?? 0) + bytesOf(item.fact);
      if (total > this.#parts.maxBytes && !item.caller.permissions.has('admin')) item.reject(tooMuch(this.#parts));
      else after.set(key, total);
    }
  }

  /** Counts facts that this transaction has just stored. */
  async add(facts: readonly StoredFact[], transaction: PluginTransaction): Promise<void> {
    const tenantId = facts[0]?.tenantId;
    if (tenantId === undefined) return;
    const added = await this.#sumsOf(transaction, tenantId, facts, bytesOf);
    const counts = await this.#countsOf(transaction, tenantId, [...added.keys()]);
    const newest = (await transaction.ledgerHead(tenantId)).newest?.number ?? 0;
    const before = { tenantId, above: counts.countedTo, below: newest - facts.length + 1 } as const;
    // Ledger numbers may have gaps. Earlier facts that were not counted yet are counted before these.
    const isBehind = before.below - before.above > 1 && (await this.#hasFacts(transaction, before));
    if (!isBehind) await this.#save(transaction, tenantId, counts, added, newest);
  }

  /** Counts facts that were stored while the plugin was off, tenant by tenant, in short transactions. */
  async countOthers(): Promise<void> {
    const ends = await this.#parts.tables.read((_own, snapshot) => snapshot.ledgerEnds());
    for (const { tenantId } of ends) while (await this.#countSome(tenantId));
  }

  /** Subtracts the values of erased facts. Their names stay stored, and so stay counted. */
  async free({ tenantId, facts, transaction }: ErasedFacts): Promise<ErasureCounts> {
    const counts = await this.#countsOf(transaction, tenantId, []);
    if (counts.countedTo === 0) return {};
    const ids = facts.map(({ id }) => id);
    const uncounted = await transaction.ledger({
      tenantId,
      above: counts.countedTo,
      filter: isIn('id', ids),
      order: 'oldest',
      limit: ids.length,
      members: ['factId'],
    });
    const later = new Set(uncounted.map(({ factId }) => factId));
    const freed = facts.filter(({ id }) => !later.has(id));
    const sums = await this.#sumsOf(transaction, tenantId, freed, (fact) => -valueBytesOf([fact]));
    await this.#countsOf(transaction, tenantId, [...sums.keys()]);
    await this.#save(transaction, tenantId, counts, sums, counts.countedTo);
    return {};
  }

  /** Returns the bytes that count for the caller, as far as they are counted. */
  async of(caller: QuotaHolder): Promise<number> {
    const where = { tenant_id: caller.tenantId, entity_uri: limitedEntity(caller) };
    const [row] = await this.#parts.tables.read((own) => own.select(STORED_TABLE, where));
    return Number(row?.['bytes'] ?? 0);
  }

  /** Returns a function from an entity to the holder of its limit. */
  async #holdersOf(
    snapshot: PluginTransaction,
    tenantId: string,
    entityUris: readonly string[],
  ): Promise<(entityUri: string) => string> {
    const asked = { tenantId, entityUris: [...new Set(entityUris)], snapshot };
    const persons = new Map((await this.#parts.hooks.collect(limitShared, asked)).flatMap((some) => [...some]));
    return (entityUri) => persons.get(entityUri) ?? entityUri;
  }

  /** Adds up the bytes of facts by the holder of the limit. */
  async #sumsOf<F extends Pick<StoredFact, 'assertedBy'>>(
    transaction: PluginTransaction,
    tenantId: string,
    facts: readonly F[],
    bytes: (fact: F) => number,
  ): Promise<Map<string, number>> {
    const holderOf = await this.#holdersOf(
      transaction,
      tenantId,
      facts.flatMap(({ assertedBy }) => assertedBy ?? []),
    );
    const sums = new Map<string, number>();
    for (const fact of facts) {
      if (fact.assertedBy === null) continue;
      const holder = holderOf(fact.assertedBy);
      sums.set(holder, (sums.get(holder) ?? 0) + bytes(fact));
    }
    return sums;
  }

  /** Reads the counts that are not read yet, with one statement or none. */
  async #countsOf(transaction: PluginTransaction, tenantId: string, keys: readonly string[]): Promise<Counts> {
    const known = this.#counts.get(transaction);
    const counts = known ?? { countedTo: 0, bytes: new Map<string, number>() };
    this.#counts.set(transaction, counts);
    const missing = [...new Set(keys)].filter((key) => !counts.bytes.has(key));
    if (known === undefined) missing.push(TENANT);
    if (missing.length === 0) return counts;
    const own = this.#parts.tables.in(transaction);
    const rows = await own.select(STORED_TABLE, { tenant_id: tenantId, entity_uri: missing });
    for (const key of missing) if (key !== TENANT) counts.bytes.set(key, 0);
    for (const row of rows) {
      const key = String(row['entity_uri']);
      if (key === TENANT) counts.countedTo = Number(row['counted_to']);
      else counts.bytes.set(key, Number(row['bytes']));
    }
    return counts;
  }

  async #hasFacts(
    transaction: PluginTransaction,
    range: { readonly tenantId: string; readonly above: number; readonly below: number },
  ): Promise<boolean> {
    const some = await transaction.ledger({ ...range, order: 'oldest', limit: 1, members: ['number'] });
    return some.length > 0;
  }

  async #save(
    transaction: PluginTransaction,
    tenantId: string,
    counts: Counts,
    added: ReadonlyMap<string, number>,
    countedTo: number,
  ): Promise<void> {
    counts.countedTo = countedTo;
    for (const [key, bytes] of added) counts.bytes.set(key, Math.max(0, (counts.bytes.get(key) ?? 0) + bytes));
    const rows: Row[] = [...added.keys()].map((key) => ({
      tenant_id: tenantId,
      entity_uri: key,
      bytes: counts.bytes.get(key) ?? 0,
      counted_to: 0,
    }));
    rows.push({ tenant_id: tenantId, entity_uri: TENANT, bytes: 0, counted_to: countedTo });
    await upsert(this.#parts.tables.in(transaction), rows);
  }

  /**
   * Counts some facts of a tenant. Returns true if there may be more. Reads first, so that a finished count writes
   * nothing.
   */
  async #countSome(tenantId: string): Promise<boolean> {
    const { tables } = this.#parts;
    const isDone = await tables.read(async (own, snapshot) => {
      const [row] = await own.select(STORED_TABLE, { tenant_id: tenantId, entity_uri: TENANT });
      const above = Number(row?.['counted_to'] ?? 0);
      const next = await snapshot.ledger({ tenantId, above, order: 'oldest', limit: 1, members: ['number'] });
      return next.length === 0;
    });
    if (isDone) return false;
    return tables.write(tenantId, async (_own, transaction) => {
      const { countedTo } = await this.#countsOf(transaction, tenantId, []);
      const entries = await transaction.ledger({
        tenantId,
        above: countedTo,
        order: 'oldest',
        limit: FACTS_AT_ONCE,
        members: ['number', 'factId'],
      });
      const last = entries.at(-1);
      if (last === undefined) return false;
      const ids = entries.map(({ factId }) => factId);
      const facts = await transaction.outline({
        kind: 'all',
        of: [isIn('tenantId', [tenantId]), isIn('id', ids)],
      });
      const sums = await this.#sumsOf(transaction, tenantId, facts, (fact) => namesBytes(fact) + fact.valueBytes);
      const counts = await this.#countsOf(transaction, tenantId, [...sums.keys()]);
      await this.#save(transaction, tenantId, counts, sums, last.number);
      return entries.length === FACTS_AT_ONCE;
    });
  }
}

/** Returns the counted bytes of a fact: its names, and its value as text. */
const bytesOf = (fact: NamedFact & Pick<StoredFact, 'value'>): number => namesBytes(fact) + valueBytesOf([fact]);

const namesBytes = ({ entity, relation, source }: NamedFact): number =>
  Buffer.byteLength(entity) + Buffer.byteLength(relation) + Buffer.byteLength(source);

const upsert = (own: WritableTables, rows: readonly Row[]): Promise<unknown> =>
  own(STORED_TABLE).insert(rows).onConflict(['tenant_id', 'entity_uri']).merge();

const tooMuch = ({ maxBytes }: StoredBytesParts): ServiceError =>
  new ServiceError('limit_reached', `an entity stores at most ${maxBytes} bytes of facts, and this would be more`, {
    hint: 'erased values do not count; an administrator may raise SVC_MAX_STORED_BYTES_PER_ENTITY',
  });
