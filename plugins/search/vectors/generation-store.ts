import {
  above,
  type Clock,
  compareHlc,
  type Embedder,
  type Hlc,
  type PluginSnapshot,
  type PluginTables,
  type SqlValue,
} from '../../../kernel/plugin-api.ts';
import { BEFORE_FEED, type Generation, generationFromRow, newGenerationRow } from './generation.ts';
import type { VectorFormat } from './vector-store.ts';

/** The lock of all writes to vectors and generations. It does not block other writes. */
export const VECTORS_LOCK = 'search vectors';
/** The signal after every write of vectors, and when a generation begins, ends or is withdrawn. */
export const VECTORS_CHANGED = 'vectors changed';
/** The time in milliseconds after which the vectors of an unused embedder are removed. */
export const UNUSED_MS = 24 * 60 * 60 * 1000;
/** The time in milliseconds after which vectors are removed that a newer generation of the same embedder replaces. */
export const SUPERSEDED_MS = 60 * 60 * 1000;
const ROWS_PER_DELETE = 2_000;

/** The generations in the store: the target, and older ones that searches may use until the target is complete. */
export interface VectorPlan {
  /** The generation that all facts should have. */
  readonly target: Generation;
  /** Other generations, best first, that can serve while the target is building. */
  readonly others: readonly Generation[];
}

export interface GenerationParts {
  readonly tables: PluginTables;
  readonly embedder: Pick<Embedder, 'id'>;
  readonly textVersion: number;
  readonly clock: Pick<Clock, 'nowMs'>;
  readonly format: Pick<VectorFormat, 'vectors' | 'embedders' | 'beside'>;
}

/** The generations of all embedders in the store. This process creates those of its own embedder. */
export class GenerationStore {
  readonly #tables: PluginTables;
  readonly #embedder: Pick<Embedder, 'id'>;
  readonly #textVersion: number;
  readonly #clock: Pick<Clock, 'nowMs'>;
  readonly #format: Pick<VectorFormat, 'vectors' | 'embedders' | 'beside'>;

  constructor({ tables, embedder, textVersion, clock, format }: GenerationParts) {
    this.#format = format;
    this.#tables = tables;
    this.#embedder = embedder;
    this.#textVersion = textVersion;
    this.#clock = clock;
  }

  /** Begins another generation, or returns the one that is building. */
  async begin(): Promise<Generation> {
    return (await this.#insert((newest) => newest.state === 'building')).target;
  }

  /**
   * Withdraws an incomplete generation, so that the previous one is the target again. Idempotent. Does nothing if there
   * is no previous one.
   */
  async withdraw(name: string): Promise<void> {
    await this.#tables.write(VECTORS_LOCK, async (own) => {
      const mine = planOf(await own.select(this.#format.embedders, {}), this.#embedder.id, this.#textVersion);
      const isAlone = !mine?.others.some((other) => this.#isMine(other));
      if (mine?.target.name !== name || mine.target.state !== 'building' || isAlone) return;
      await own(this.#format.embedders).where({ embedder: name }).update({ state: 'leaving' });
      own.signal(VECTORS_CHANGED);
    });
  }

  /** Returns the plan. Begins a first generation if none exists, or all are being removed. */
  async plan(): Promise<VectorPlan> {
    const plan = await this.#tables.read((_own, snapshot) => this.planIn(snapshot));
    return plan ?? this.#insert(() => true);
  }

  /** Returns the plan as of a snapshot; undefined if no generation exists. */
  async planIn(snapshot: PluginSnapshot): Promise<VectorPlan | undefined> {
    const rows = await this.#tables.in(snapshot).select(this.#format.embedders, {});
    return planOf(rows, this.#embedder.id, this.#textVersion);
  }

  /** Returns the end of the feed, unless the target has reached it. */
  async missingUpTo(): Promise<Hlc | undefined> {
    const { plan, head } = await this.#tables.read(async (_own, snapshot) => ({
      plan: await this.planIn(snapshot),
      head: await snapshot.head(),
    }));
    const { target } = plan ?? (await this.#insert(() => true));
    return head !== null && compareHlc(target.fresh, head) < 0 ? head : undefined;
  }

  /** Returns the number of facts without a vector of the target. */
  countPending(): Promise<number> {
    return this.#tables.read(async (own, snapshot) => {
      const plan = planOf(await own.select(this.#format.embedders, {}), this.#embedder.id, this.#textVersion);
      if (plan === undefined) return 0;
      const { fresh, backlog, total, done } = plan.target;
      return (await snapshot.count(above('feed', fresh))) + (backlog === undefined ? 0 : total - done);
    });
  }

  /** Stores the reason of a failed attempt. */
  async failed(name: string, error: string): Promise<void> {
    await this.#tables.write(VECTORS_LOCK, async (own) => {
      await own(this.#format.embedders).where({ embedder: name }).update({ error });
    });
  }

  /**
   * Records the generations in use. Removes some vectors of generations that are unused for long or withdrawn. Returns
   * true if more may remain.
   */
  async dropUnused(inUse: readonly string[]): Promise<boolean> {
    const nowMs = this.#clock.nowMs();
    return this.#tables.write(VECTORS_LOCK, async (own) => {
      if (inUse.length > 0) {
        await own(this.#format.embedders)
          .whereIn('embedder', [...inUse])
          .whereNot({ state: 'leaving' })
          .update({ used_ms: nowMs });
      }
      const rows = (await own.select(this.#format.embedders, {})).map(generationFromRow);
      const target = newestOf(rows, this.#embedder.id, this.#textVersion);
      for (const row of rows) {
        if (row.state === 'leaving' || inUse.includes(row.name) || row === target) continue;
        const isSuperseded = this.#isMine(row) && target?.state === 'complete';
        if (row.usedMs >= nowMs - (isSuperseded ? SUPERSEDED_MS : UNUSED_MS)) continue;
        await own(this.#format.embedders).where({ embedder: row.name }).update({ state: 'leaving' });
      }
      const [leaving] = (await own(this.#format.embedders).where({ state: 'leaving' }).limit(1)) as Record<
        string,
        SqlValue
      >[];
      if (leaving === undefined) return false;
      const embedder = String(leaving['embedder']);
      const { vectors, beside } = this.#format;
      const some = (await own(vectors)
        .where({ embedder })
        .orderBy('seq')
        .limit(ROWS_PER_DELETE)
        .select(beside === undefined ? ['seq'] : ['seq', 'feed_wall', 'feed_ctr'])) as Record<string, SqlValue>[];
      const last = some.at(-1);
      if (last === undefined) {
        await own(this.#format.embedders).where({ embedder }).delete();
        return true;
      }
      if (beside !== undefined) {
        const stamps = some.map((row) => [Number(row['feed_wall']), Number(row['feed_ctr'])]);
        await own(beside.table).where({ embedder }).whereIn(['feed_wall', 'feed_ctr'], stamps).delete();
      }
      await own(vectors).where({ embedder }).where('seq', '<=', Number(last['seq'])).delete();
      return true;
    });
  }

  #isMine({ embedder, textVersion }: Generation): boolean {
    return embedder === this.#embedder.id && textVersion === this.#textVersion;
  }

  /**
   * Begins a generation unless the newest one is enough, and returns the plan. Counts the facts before taking the lock,
   * because the count may be slow.
   */
  async #insert(isEnough: (newest: Generation) => boolean): Promise<VectorPlan> {
    const { id: embedder } = this.#embedder;
    const textVersion = this.#textVersion;
    const found = await this.#tables.read(async (_own, snapshot) => {
      const head = await snapshot.head();
      return { head, facts: head === null ? 0 : await snapshot.count(above('feed', BEFORE_FEED)) };
    });
    return this.#tables.write(VECTORS_LOCK, async (own) => {
      const stored = await own.select(this.#format.embedders, {});
      const plan = planOf(stored, embedder, textVersion);
      if (plan !== undefined && isEnough(plan.target)) return plan;
      const mine = stored.map(generationFromRow).filter((row) => this.#isMine(row));
      const number = 1 + Math.max(0, ...mine.map((row) => row.number));
      const row = newGenerationRow({ embedder, textVersion, number }, { ...found, nowMs: this.#clock.nowMs() });
      await own.insertRows(this.#format.embedders, [row]);
      own.signal(VECTORS_CHANGED);
      return planOf([...stored, row], embedder, textVersion) as VectorPlan;
    });
  }
}

const newestOf = (rows: readonly Generation[], embedder: string, textVersion: number): Generation | undefined =>
  rows
    .filter((row) => row.embedder === embedder && row.textVersion === textVersion && row.state !== 'leaving')
    .sort((a, b) => b.number - a.number)[0];

const planOf = (
  stored: readonly Readonly<Record<string, SqlValue>>[],
  embedder: string,
  textVersion: number,
): VectorPlan | undefined => {
  const rows = stored.map(generationFromRow);
  const target = newestOf(rows, embedder, textVersion);
  if (target === undefined) return undefined;
  // Complete generations first, then those of the same embedder, then the last used ones.
  const others = rows
    .filter((row) => row !== target && row.state !== 'leaving')
    .sort(
      (a, b) =>
        Number(b.state === 'complete') - Number(a.state === 'complete') ||
        Number(b.embedder === embedder) - Number(a.embedder === embedder) ||
        b.usedMs - a.usedMs ||
        b.number - a.number,
    );
  return { target, others };
};
