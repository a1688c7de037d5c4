import { type FactName, ownedBy } from '../../../kernel/internal-api.ts';
import {
  all,
  type ErasedFacts,
  type ErasureCounts,
  isIn,
  isNull,
  type PluginSnapshot,
  type PluginTables,
  type PluginTransaction,
  type ReadableTables,
  type Row,
  ServiceError,
  type SqlValue,
  type StoredFact,
  type WritableTables,
} from '../../../kernel/plugin-api.ts';
import { EMBEDDERS_TABLE, VECTORS_TABLE } from '../search-migrations.ts';
import { codeIn, type FreshBatch, FreshVectors, type VectorCode } from './fresh-vectors.ts';
import { type Advance, advancedColumns, type Generation, generationFromRow } from './generation.ts';
import { VECTORS_CHANGED, VECTORS_LOCK } from './generation-store.ts';

/** A fact with its vector. */
interface FactVector {
  readonly fact: StoredFact;
  readonly vector: VectorCode;
}

export interface StoredVector extends VectorCode {
  /** Increases in the order of commits. */
  readonly seq: number;
  readonly fact: FactName;
}

/** The tables of vectors and generations of one index, and the columns in which it stores a vector. */
export interface VectorFormat {
  readonly vectors: string;
  readonly embedders: string;
  columnsOf(vector: VectorCode, fact: StoredFact): Row;
  /** A second table with one row per vector. Both rows contain the feed stamp of the fact. */
  readonly beside?: {
    readonly table: string;
    columnsOf(vector: VectorCode, fact: StoredFact): Row;
  };
}

/** Deletes the vectors of facts of one tenant, of every generation. Returns their number. */
export const deleteVectors = async (
  own: WritableTables,
  { vectors, beside }: Pick<VectorFormat, 'vectors' | 'beside'>,
  tenantId: string,
  facts: readonly Pick<StoredFact, 'id' | 'feed'>[],
): Promise<number> => {
  const ids = facts.map(({ id }) => id);
  const deleted = await own(vectors).where({ tenant_id: tenantId }).whereIn('fact_id', ids).delete();
  if (beside !== undefined) {
    const stamps = facts.map(({ feed }) => [feed.wallMs, feed.counter]);
    await own(beside.table).where({ tenant_id: tenantId }).whereIn(['feed_wall', 'feed_ctr'], stamps).delete();
  }
  return Number(deleted);
};

/** The format of the index in memory. */
export const MEMORY_FORMAT: VectorFormat = {
  vectors: VECTORS_TABLE,
  embedders: EMBEDDERS_TABLE,
  columnsOf: ({ code, scale }) => ({
    scale,
    code: new Uint8Array(code.buffer, code.byteOffset, code.byteLength),
  }),
};

/** The vectors of all facts, by generation. */
export class VectorStore {
  readonly #tables: PluginTables;
  readonly #format: VectorFormat;
  readonly #fresh = new FreshVectors();

  constructor(tables: PluginTables, format: VectorFormat = MEMORY_FORMAT) {
    this.#tables = tables;
    this.#format = format;
  }

  /**
   * Stores vectors of a generation together with its progress. `confirm` runs in the same transaction, and can abort
   * it. Rejects if the generation was withdrawn meanwhile.
   */
  async save(
    generation: Generation,
    vectors: readonly FactVector[],
    advance: Advance,
    nowMs: number,
    confirm: (transaction: PluginTransaction) => Promise<void>,
  ): Promise<void> {
    // Known before the commit, whose signal makes the index read the rows.
    const batch = this.#fresh.add(generation.name, vectors);
    try {
      await this.#store(generation, vectors, advance, nowMs, confirm);
    } catch (error) {
      this.#fresh.drop([batch]);
      throw error;
    }
    batch.isStored = true;
    // An erasure does not take this lock, so a fact may have been erased since it was read. Each of the two
    // transactions sees the commits of the other.
    if (vectors.length > 0) await this.#dropErased(vectors.map(({ fact }) => fact));
  }

  /** Forgets the vectors that the index has not read yet, because their facts may be among the erased ones. */
  forget(): void {
    this.#fresh.clear();
  }

  #store(
    generation: Generation,
    vectors: readonly FactVector[],
    advance: Advance,
    nowMs: number,
    confirm: (transaction: PluginTransaction) => Promise<void>,
  ): Promise<void> {
    return this.#tables.write(VECTORS_LOCK, async (own, transaction) => {
      await confirm(transaction);
      const rows = vectors.map(({ fact, vector }) => ({
        tenant_id: fact.tenantId,
        fact_id: fact.id,
        embedder: generation.name,
        ...this.#format.columnsOf(vector, fact),
        ...ownedBy(fact),
      }));
      await this.#advance(own, generation.name, advance, nowMs);
      if (rows.length > 0) await own.insertRows(this.#format.vectors, rows);
      const { beside } = this.#format;
      if (beside !== undefined && rows.length > 0) {
        const named = { embedder: generation.name };
        const others = vectors.map(({ fact, vector }) => ({
          tenant_id: fact.tenantId,
          ...named,
          ...beside.columnsOf(vector, fact),
        }));
        await own.insertRows(beside.table, others);
      }
      own.signal(VECTORS_CHANGED);
    });
  }

  /** Destroys the vectors, of every generation, of facts that are erased in this transaction. */
  static async erase({ tenantId, facts, transaction }: ErasedFacts, tables: PluginTables): Promise<ErasureCounts> {
    return { vectors: await deleteVectors(tables.in(transaction), MEMORY_FORMAT, tenantId, facts) };
  }

  /** Returns those facts that have no vector of this generation. */
  async without<T extends FactName>(
    generation: Generation,
    facts: readonly T[],
    snapshot: PluginSnapshot,
  ): Promise<readonly T[]> {
    const own = this.#tables.in(snapshot);
    const known = new Set<string>();
    for (const tenantId of new Set(facts.map((fact) => fact.tenantId))) {
      const ids = facts.filter((fact) => fact.tenantId === tenantId).map(({ id }) => id);
      const rows = (await own(this.#format.vectors)
        .where({ tenant_id: tenantId, embedder: generation.name })
        .whereIn('fact_id', ids)
        .select('fact_id')) as Record<string, SqlValue>[];
      for (const row of rows) known.add(`${tenantId} ${String(row['fact_id'])}`);
    }
    return facts.filter(({ tenantId, id }) => !known.has(`${tenantId} ${id}`));
  }

  /** Deletes vectors whose facts were erased while the vectors were computed. */
  async #dropErased(facts: readonly StoredFact[]): Promise<void> {
    const tenants = [...new Set(facts.map(({ tenantId }) => tenantId))];
    const named = facts.map(({ id }) => id);
    const filter = all(isIn('tenantId', tenants), isIn('id', named), isNull('cid'));
    const erased = await this.#tables.read((_own, snapshot) => snapshot.outline(filter));
    const isErased = new Set(erased.map(({ tenantId, id }) => `${tenantId} ${id}`));
    for (const fact of facts.filter(({ tenantId, id }) => isErased.has(`${tenantId} ${id}`))) {
      await this.#tables.write(VECTORS_LOCK, (own) => deleteVectors(own, this.#format, fact.tenantId, [fact]));
    }
  }

  /** Returns the vectors of a generation after a position, in order. */
  async after(generation: string, seq: number, limit: number): Promise<StoredVector[]> {
    const fresh = this.#fresh.of(generation);
    const stored = fresh.filter(({ isStored }) => isStored);
    const found = await this.#tables.read((own) => this.#readAfter(own, { generation, seq, limit }, fresh));
    // The next read begins after these. One that has no row any more was erased.
    if (found.length < limit) this.#fresh.drop(stored);
    return found;
  }

  async #readAfter(
    own: ReadableTables,
    { generation, seq, limit }: { readonly generation: string; readonly seq: number; readonly limit: number },
    fresh: readonly FreshBatch[],
  ): Promise<StoredVector[]> {
    const { vectors } = this.#format;
    const query = own(vectors).where('embedder', generation).where('seq', '>', seq).orderBy('seq').limit(limit);
    if (fresh.length === 0) return ((await query) as VectorRow[]).map((row) => vectorFromRow(row, codeOf(row)));
    const rows = (await query.select('seq', 'tenant_id', 'fact_id', 'scale')) as VectorRow[];
    const found = rows.map((row) => {
      const { fact, scale } = namedVector(row);
      return { row, code: codeIn(fresh, fact, scale) };
    });
    const others = found.flatMap(({ row, code }) => (code === undefined ? [Number(row['seq'])] : []));
    const read = others.length === 0 ? [] : ((await own(vectors).whereIn('seq', others)) as VectorRow[]);
    const codes = new Map(read.map((row) => [Number(row['seq']), codeOf(row)]));
    return found.flatMap(({ row, code = codes.get(Number(row['seq'])) }) =>
      code === undefined ? [] : [vectorFromRow(row, code)],
    );
  }

  async #advance(own: WritableTables, name: string, advance: Advance, nowMs: number): Promise<void> {
    const { embedders } = this.#format;
    const [row] = await own.select(embedders, { embedder: name });
    const generation = row === undefined ? undefined : generationFromRow(row);
    if (generation === undefined || generation.state === 'leaving') {
      throw new ServiceError('conflict', 'these vectors are no longer wanted');
    }
    await own(embedders)
      .where({ embedder: name })
      .update(advancedColumns(generation, advance, nowMs));
  }
}

type VectorRow = Readonly<Record<string, SqlValue>>;

const namedVector = (row: VectorRow): Omit<StoredVector, 'code'> => ({
  seq: Number(row['seq']),
  fact: { tenantId: String(row['tenant_id']), id: String(row['fact_id']) },
  scale: Number(row['scale']),
});

const vectorFromRow = (row: VectorRow, code: Int8Array): StoredVector => ({ ...namedVector(row), code });

const codeOf = (row: VectorRow): Int8Array => {
  const bytes = row['code'] as Uint8Array;
  // Copies the bytes, because the driver reuses their buffer and they may be unaligned.
  return Int8Array.from(new Int8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength));
};
