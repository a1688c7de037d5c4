import {
  above,
  all,
  compareHlc,
  type ErasedFacts,
  type ErasureCounts,
  type FactName,
  type Hlc,
  isIn,
  isNull,
  type PluginTables,
  type PluginTransaction,
  type SqlValue,
  type StoredFact,
  type WritableTables,
} from '../../../kernel/plugin-api.ts';
import { EMBEDDERS_TABLE, VECTORS_TABLE } from '../search-migrations.ts';

/** A vector as the index holds it: one byte for each dimension, and what they are multiplied with. */
export interface VectorCode {
  readonly code: Int8Array;
  readonly scale: number;
}

export interface StoredVector extends VectorCode {
  /** Grows in the order of commits. */
  readonly seq: number;
  readonly fact: FactName;
}

/** Writes of vectors take turns among themselves and with nothing else. */
const LOCK = 'search vectors';
/** Raised by every write of vectors. */
export const VECTORS_ADDED = 'vectors added';
/** Vectors of an embedder that no process has used for so long are dropped. */
export const UNUSED_MS = 24 * 60 * 60 * 1000;
const ROWS_PER_DELETE = 2_000;
const FEED_START: Hlc = { wallMs: 0, counter: -1 };

/** The vectors of all facts, by embedder, and how far along the feed each embedder has come. */
export class VectorStore {
  readonly #tables: PluginTables;
  readonly #embedder: string;

  constructor(tables: PluginTables, embedder: string) {
    this.#tables = tables;
    this.#embedder = embedder;
  }

  /** Place in the feed up to which this embedder has come. */
  position(): Promise<Hlc> {
    return this.#tables.read(async (own) =>
      stampOf((await own.select(EMBEDDERS_TABLE, { embedder: this.#embedder }))[0]),
    );
  }

  /** Where the feed ends, if this embedder has not come so far. */
  missingUpTo(): Promise<Hlc | undefined> {
    return this.#tables.read(async (own, snapshot) => {
      const [row] = await own.select(EMBEDDERS_TABLE, { embedder: this.#embedder });
      const head = await snapshot.head();
      return head !== null && compareHlc(stampOf(row), head) < 0 ? head : undefined;
    });
  }

  /** How many facts this embedder has not seen. */
  countPending(): Promise<number> {
    return this.#tables.read(async (own, snapshot) => {
      const [row] = await own.select(EMBEDDERS_TABLE, { embedder: this.#embedder });
      return snapshot.count(above('feed', stampOf(row)));
    });
  }

  /** Stores vectors and moves on to `upTo`. `confirm` has the last word. */
  async save(
    vectors: readonly { readonly fact: StoredFact; readonly vector: VectorCode }[],
    upTo: Hlc,
    nowMs: number,
    confirm: (transaction: PluginTransaction) => Promise<void>,
  ): Promise<void> {
    await this.#tables.write(LOCK, async (own, transaction) => {
      await confirm(transaction);
      const rows = vectors.map(({ fact, vector: { code, scale } }) => ({
        tenant_id: fact.tenantId,
        fact_id: fact.id,
        embedder: this.#embedder,
        scale,
        code: new Uint8Array(code.buffer, code.byteOffset, code.byteLength),
      }));
      if (rows.length > 0) await own.insertRows(VECTORS_TABLE, rows);
      await this.#moveTo(own, { feed_wall: upTo.wallMs, feed_ctr: upTo.counter, used_ms: nowMs });
      own.signal(VECTORS_ADDED);
    });
    // An erasure takes no turns with this write: each sees what the other has committed.
    if (vectors.length > 0) await this.#dropErased(vectors.map(({ fact }) => fact));
  }

  /** Destroys the vectors of facts that are erased in this transaction, by every embedder. */
  static async erase({ tenantId, facts, transaction }: ErasedFacts, tables: PluginTables): Promise<ErasureCounts> {
    const ids = facts.map(({ id }) => id);
    const own = tables.in(transaction);
    return { vectors: await own(VECTORS_TABLE).where({ tenant_id: tenantId }).whereIn('fact_id', ids).delete() };
  }

  /** Vectors that were made while their facts were erased. */
  async #dropErased(facts: readonly StoredFact[]): Promise<void> {
    const named = facts.map(({ id }) => id);
    const filter = all(isIn('id', named), isNull('cid'));
    const erased = await this.#tables.read((_own, snapshot) => snapshot.outline(filter));
    for (const { tenantId, id } of erased) {
      await this.#tables.write(LOCK, (own) => own(VECTORS_TABLE).where({ tenant_id: tenantId, fact_id: id }).delete());
    }
  }

  /** Vectors of this embedder after a place, in order. */
  after(seq: number, limit: number): Promise<StoredVector[]> {
    return this.#tables.read(async (own) => {
      const query = own(VECTORS_TABLE).where('embedder', this.#embedder).where('seq', '>', seq);
      return ((await query.orderBy('seq').limit(limit)) as Record<string, SqlValue>[]).map(vectorFromRow);
    });
  }

  /**
   * Says that the embedder is in use, and drops some vectors of those that have not been for long. True while there may
   * be more.
   */
  async dropUnused(nowMs: number): Promise<boolean> {
    return this.#tables.write(LOCK, async (own) => {
      await own(EMBEDDERS_TABLE).where({ embedder: this.#embedder }).update({ used_ms: nowMs });
      const [unused] = (await own(EMBEDDERS_TABLE)
        .whereNot({ embedder: this.#embedder })
        .where('used_ms', '<', nowMs - UNUSED_MS)
        .limit(1)) as Record<string, SqlValue>[];
      if (unused === undefined) return false;
      const embedder = String(unused['embedder']);
      // A process that takes it up again before all is gone must not believe that everything is there.
      await own(EMBEDDERS_TABLE)
        .where({ embedder })
        .update({ feed_wall: FEED_START.wallMs, feed_ctr: FEED_START.counter });
      const rows = (await own(VECTORS_TABLE)
        .where({ embedder })
        .orderBy('seq')
        .limit(ROWS_PER_DELETE)
        .select('seq')) as Record<string, SqlValue>[];
      const last = rows.at(-1);
      if (last === undefined) await own(EMBEDDERS_TABLE).where({ embedder }).delete();
      else await own(VECTORS_TABLE).where({ embedder }).where('seq', '<=', Number(last['seq'])).delete();
      return true;
    });
  }

  async #moveTo(
    own: WritableTables,
    position: { feed_wall: number; feed_ctr: number; used_ms: number },
  ): Promise<void> {
    const where = { embedder: this.#embedder };
    const [row] = await own.select(EMBEDDERS_TABLE, where);
    if (row === undefined) await own.insertRows(EMBEDDERS_TABLE, [{ ...where, ...position }]);
    else await own(EMBEDDERS_TABLE).where(where).update(position);
  }
}

const stampOf = (row: Readonly<Record<string, SqlValue>> | undefined): Hlc =>
  row === undefined ? FEED_START : { wallMs: Number(row['feed_wall']), counter: Number(row['feed_ctr']) };

const vectorFromRow = (row: Readonly<Record<string, SqlValue>>): StoredVector => {
  const bytes = row['code'] as Uint8Array;
  return {
    seq: Number(row['seq']),
    fact: { tenantId: String(row['tenant_id']), id: String(row['fact_id']) },
    scale: Number(row['scale']),
    // A copy: the bytes may lie anywhere in a buffer that the driver goes on using.
    code: Int8Array.from(new Int8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength)),
  };
};
