import { ProgressLog } from '../../kernel/internal-api.ts';
import { above, compareHlc, type Hlc } from '../../kernel/plugin-api.ts';
import { IndexGone, type IndexHost } from './host/index-host.ts';
import { isLate } from './is-late.ts';
import { closeIndex, type IndexParts, type OpenIndex, openIndex, sizeOf } from './open-index.ts';
import { restInProportion } from './reindex/rest-in-proportion.ts';
import { IndexLost, type SearchAnswer, type SearchIndex, type SearchStep, type SearchView } from './search-api.ts';

/** The minimum number of new facts and vectors for a snapshot. Fewer are read again faster than they are written. */
const NEWS_PER_SNAPSHOT = 5_000;
/** The minimum number when the process ends; lower, because the next start would read these facts again. */
const NEWS_AT_END = 1_000;
/**
 * The time in milliseconds that a search waits for a first build of the index, before it answers from the facts indexed
 * so far.
 */
const BUILD_PATIENCE_MS = 10_000;
/** The same time for vectors alone; shorter because words find the facts meanwhile. */
const VECTORS_PATIENCE_MS = 1_000;

/**
 * The search index of this process. It opens from its snapshot, if there is one, and follows the store's feed. The
 * store is the source of truth, so an unusable file only costs the time to read the facts again.
 */
export class SearchService implements SearchIndex {
  readonly #parts: IndexParts;
  #opening: Promise<OpenIndex> | undefined;
  /** The result of `#opening`, once it has resolved. */
  #open: OpenIndex | undefined;
  /** True if some stored vectors are not read yet, or could not be read. */
  #lacksVectors = false;
  /** The size at the last snapshot: facts and vectors together. */
  #savedSize = 0;
  #isBuilding = true;
  /** Never rejects, and neither does `#readingVectors`. */
  #building: Promise<void> = Promise.resolve();
  #readingVectors: Promise<void> = Promise.resolve();
  #vectorsGoal: Hlc | undefined;
  /** The rebuilt index that will replace the serving one. */
  #next: OpenIndex | undefined;
  #isClosed = false;
  /** True while the content of a lost index is being read again. */
  #isMending = false;
  readonly #progress: ProgressLog;

  constructor(parts: IndexParts) {
    this.#parts = parts;
    const { log, clock } = parts;
    this.#progress = new ProgressLog({ log, clock, message: 'the search index is being built' });
    this.#vectorsGoal = parts.vectors?.goal;
  }

  /**
   * Opens the index before the first search, which would otherwise open it. Resolves when the read has begun, so that a
   * separate thread reads while this one does other long work.
   */
  openAhead(): Promise<void> {
    return new Promise((begun) => {
      // A later search reports the error. Without a search, this prevents an unhandled rejection.
      const opened = this.#opened(begun).catch((error: unknown) => this.#failedToOpen(error));
      void opened.then(() => begun());
    });
  }

  async ready(): Promise<Hlc | null> {
    const open = await this.#opened();
    const { feed } = open;
    if (this.#isBuilding && (await isLate(this.#building, BUILD_PATIENCE_MS, this.#parts.clock))) {
      // Answers from the facts indexed so far instead of waiting longer. The returned stamp tells callers about the
      // gap.
      this.#isMending = false;
      this.#parts.log.warn('a search was answered while the index is still being built');
      return feed.applied;
    }
    // Reads commits since the last catch-up, mostly few or none.
    try {
      await feed.catchUp();
    } catch (error) {
      if (!feed.isVoid && !(error instanceof IndexGone && !this.#isClosed)) throw error;
      await this.#startOver(open);
      return this.ready();
    }
    if (this.#lacksVectors) await isLate(this.#readingVectors, VECTORS_PATIENCE_MS, this.#parts.clock);
    return null;
  }

  /** Closes an index whose host has ended, or that holds facts that no longer exist, and has a new one built. */
  async #startOver(open: OpenIndex): Promise<void> {
    if (this.#open === open) {
      this.#opening = undefined;
      this.#open = undefined;
      this.#isBuilding = this.#isMending = true;
    }
    await closeIndex(open);
  }

  /**
   * Runs a search on the index. If the index is lost, does not wait for a replacement, because the caller may hold
   * resources that the build needs.
   */
  async #onIndex<T>(search: (index: IndexHost) => Promise<T>): Promise<T> {
    if (this.#isMending) throw new IndexLost();
    const open = this.#open ?? (await this.#opened());
    try {
      return await search(open.index);
    } catch (error) {
      if (!(error instanceof IndexGone) || this.#isClosed) throw error;
      this.#begin(open);
      throw new IndexLost();
    }
  }

  #begin(lost: OpenIndex): void {
    this.#startOver(lost)
      .then(() => this.#opened())
      .catch((error: unknown) => this.#failedToOpen(error));
  }

  #failedToOpen(error: unknown): void {
    this.#parts.log.error('the search index could not be opened; the next search tries again', { error });
  }

  async isMakingVectors(): Promise<boolean> {
    const { vectors } = this.#parts;
    if (vectors === undefined) return false;
    if (this.lacksVectors) return true;
    // A concurrent call may reach the goal in the meantime.
    const goal = this.#vectorsGoal;
    if (goal === undefined) return false;
    const { target } = await vectors.generations.plan();
    if (compareHlc(target.fresh, goal) < 0) return true;
    this.#vectorsGoal = undefined;
    return false;
  }

  /** Called after vectors were stored in any process. An index that is not open yet finds them later. */
  async vectorsAdded(): Promise<void> {
    if (this.#opening !== undefined) await this.#readVectors(await this.#opening);
  }

  /** True while stored vectors are unread or a generation is incomplete. */
  get lacksVectors(): boolean {
    return this.#lacksVectors || this.#open?.vectors?.isMaking === true;
  }

  /** Names of the generations that searches use. */
  get generations(): readonly string[] {
    return (this.#open?.vectors?.served ?? []).map(({ name }) => name);
  }

  /** The build number of this process's index; undefined while none is open. */
  get build(): string | undefined {
    return this.#open?.owner.build;
  }

  hasBuild = async (build: string): Promise<boolean> => this.build === build;

  /** The number of facts in the index. */
  get size(): number {
    return this.#open?.index.size.facts ?? 0;
  }

  /** The number of vectors in the index. */
  get vectorCount(): number {
    return this.#open?.index.size.vectors ?? 0;
  }

  /**
   * Builds another index of all facts while the present one serves, and swaps them once it is complete. Meanwhile both
   * are in memory. `told` is called with the number of indexed facts and the expected total.
   */
  async rebuild(told: (done: number, total: number) => void): Promise<void> {
    const before = await this.#opened();
    await this.#building;
    const rest = restInProportion(this.#parts.clock);
    const pause = (): Promise<void> => {
      told(this.#next?.index.size.facts ?? 0, before.index.size.facts);
      return rest();
    };
    const next = await openIndex(this.#parts, { anew: true, pause });
    this.#next = next;
    try {
      await next.feed.catchUp();
      await next.vectors?.follow();
      if (this.#isClosed || this.#open !== before) throw new Error('the index that was to be replaced is gone');
      this.#serve(next);
      this.#opening = Promise.resolve(next);
      this.#savedSize = 0;
      await closeIndex(before);
    } catch (error) {
      await closeIndex(next);
      throw error;
    } finally {
      this.#next = undefined;
    }
  }

  async embedders() {
    const { vectors } = await this.#opened();
    return [...new Set((vectors?.served ?? []).map(({ embedder }) => embedder))];
  }

  ask(plan: readonly SearchStep[], view: SearchView): Promise<readonly SearchAnswer[]> {
    return this.#onIndex((index) => index.ask(plan, view));
  }

  /** Writes new parts of the index while it grows, so that less remains to write when the node stops. */
  async saveAsItGrows(): Promise<void> {
    await this.#save(NEWS_PER_SNAPSHOT, false);
  }

  /** Writes new facts to the snapshot before the process ends. */
  async saveAtEnd(): Promise<void> {
    await this.#save(NEWS_AT_END, true);
  }

  async #save(leastNews: number, isHasty: boolean): Promise<void> {
    const open = this.#open;
    if (open === undefined) return;
    const size = sizeOf(open);
    if (size - this.#savedSize < leastNews) return;
    const { index, owner } = open;
    await this.#parts.snapshots.save(owner, (target) => index.write(target), { isHasty });
    this.#savedSize = size;
  }

  /** Waits for the work in progress. Does not wait for a full read of all facts, which ends when the store closes. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const open = await this.#opening?.catch(() => undefined);
    await Promise.all([open, this.#next].map((one) => one && closeIndex(one)));
  }

  #opened(begun?: () => void): Promise<OpenIndex> {
    this.#opening ??= this.#openIndex(begun).catch((error: unknown) => {
      this.#opening = undefined;
      throw error;
    });
    return this.#opening;
  }

  async #readVectors({ vectors }: OpenIndex): Promise<void> {
    try {
      await vectors?.follow();
      this.#lacksVectors = false;
    } catch (error) {
      this.#lacksVectors = true;
      if (!this.#isClosed) throw error;
    }
  }

  async #openIndex(begun = (): void => {}): Promise<OpenIndex> {
    const beganMs = this.#parts.clock.monotonicMs();
    const open = await openIndex(this.#parts, { begun, pause: () => this.#tellProgress() });
    this.#serve(open);
    this.#savedSize = sizeOf(open);
    this.#lacksVectors = open.vectors !== undefined;
    this.#build(open, beganMs);
    return open;
  }

  #serve(open: OpenIndex): void {
    this.#open = open;
    void open.index.lost.then((error) => {
      if (this.#isClosed) return;
      this.#parts.log.error('the search index was lost; it is built anew', { error });
      this.#begin(open);
    });
  }

  async #tellProgress(): Promise<void> {
    const open = this.#open;
    if (open === undefined || !this.#isBuilding) return;
    const left = () => this.#parts.store.read((snapshot) => snapshot.count(above('feed', open.feed.applied)));
    await this.#progress.reached(open.index.size.facts, left);
  }

  /** Reads all facts that are newer than the snapshot. Searches may begin meanwhile. */
  #build(open: OpenIndex, beganMs: number): void {
    const { log, clock } = this.#parts;
    const { index, feed } = open;
    const restored = index.size.facts;
    const built = feed.catchUp().finally(() => {
      this.#isBuilding = this.#isMending = false;
      this.#progress.ended();
    });
    const complete = built.then(async () => {
      await this.#readVectors(open);
      if (index.size.facts === 0) return;
      const ms = Math.round(clock.monotonicMs() - beganMs);
      log.info('the search index is up to date', { facts: index.size.facts, restored, ms });
    });
    this.#building = built.catch(() => {});
    this.#readingVectors = complete.catch((error: unknown) => {
      if (this.#isClosed) return;
      log.warn('the search index could not be brought up to date; the next search tries again', { error });
    });
  }
}
