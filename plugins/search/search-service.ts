import {
  type Clock,
  compareHlc,
  type FactFeed,
  type Hlc,
  type Logger,
  type NodeSelf,
  type PluginSnapshot,
  type Random,
} from '../../kernel/plugin-api.ts';
import type { SuppressedFacts } from '../tombstones/tombstones-api.ts';
import type { CodeTable } from './codes/code-table.ts';
import { IndexFeed } from './feed/follow-feed.ts';
import { openSuppression } from './feed/follow-suppression.ts';
import { MemoryIndex } from './index/memory-index.ts';
import { drawHashSeed } from './index/text-hash.ts';
import type { SearchIndex, SearchView } from './search-api.ts';
import { beginLater } from './snapshot/begin-later.ts';
import type { KeptSnapshots } from './snapshot/kept-snapshots.ts';
import type { FoundSnapshot, SnapshotOwner } from './snapshot/snapshot-files.ts';
import { readVectors, writeVectors } from './snapshot/vector-snapshot.ts';
import { VectorFeed } from './vectors/vector-feed.ts';
import type { VectorLayer } from './vectors/vector-layer.ts';
import type { VectorSide } from './vectors/vector-side.ts';

export interface SearchParts {
  /** Snapshots of everything, whatever callers may see. */
  readonly store: { read<T>(work: (snapshot: PluginSnapshot) => Promise<T>): Promise<T> };
  readonly feed: FactFeed;
  readonly clock: Clock;
  readonly random: Random;
  readonly self: NodeSelf;
  readonly log: Logger;
  readonly snapshots: KeptSnapshots;
  /** Absent where nothing is ever hidden. */
  readonly suppressed?: SuppressedFacts | undefined;
  /** Absent without an embedder. */
  readonly vectors: VectorSide | undefined;
}

/** An index that is open, and what keeps it at the head of the store. */
interface OpenIndex {
  readonly index: MemoryIndex;
  readonly feed: IndexFeed;
  readonly vectors: { readonly layer: VectorLayer<CodeTable>; readonly feed: VectorFeed } | undefined;
  readonly owner: SnapshotOwner;
}

/** Fewer new facts and vectors than this are read again sooner than a snapshot is written. */
const NEWS_PER_SNAPSHOT = 5_000;
/** How long a search waits for an index that is being built from nothing, before it answers from what is there. */
const BUILD_PATIENCE_MS = 10_000;

/**
 * The search index of this process: opened from its snapshot, if there is one, and kept up with the store's feed. The
 * store is the truth: whatever is wrong with the files costs the time to read the facts again, and nothing else.
 */
export class SearchService implements SearchIndex {
  readonly #parts: SearchParts;
  readonly #snapshots: KeptSnapshots;
  #opening: Promise<OpenIndex> | undefined;
  /** The same, once it is there. */
  #open: OpenIndex | undefined;
  #lacksVectors = false;
  /** What the last snapshot holds: facts and vectors together. */
  #savedSize = 0;
  #isBuilding = true;
  /** Never rejects. */
  #building: Promise<void> = Promise.resolve();
  #vectorsGoal: Hlc | undefined;
  #isClosed = false;

  constructor(parts: SearchParts) {
    this.#parts = parts;
    this.#snapshots = parts.snapshots;
    this.#vectorsGoal = parts.vectors?.goal;
    // Searches are told of the error; there may be none yet.
    this.#opened().catch((error: unknown) =>
      parts.log.error('the search index could not be opened; the next search tries again', { error }),
    );
  }

  async ready(): Promise<Hlc | null> {
    const open = await this.#opened();
    const { feed } = open;
    if (this.#isBuilding && (await this.#isLate(this.#building))) return feed.applied;
    // Whatever was committed meanwhile: little, and again nothing but a look when the index has just been built.
    try {
      await feed.catchUp();
    } catch (error) {
      if (!feed.isVoid) throw error;
      await this.#startOver(open);
      return this.ready();
    }
    return null;
  }

  /** The store was put back to an earlier state: what the index holds beyond it never was. */
  async #startOver(open: OpenIndex): Promise<void> {
    if (this.#open === open) {
      this.#opening = undefined;
      this.#open = undefined;
      this.#isBuilding = true;
    }
    await open.feed.stop();
  }

  async isMakingVectors(): Promise<boolean> {
    const { vectors } = this.#parts;
    const goal = this.#vectorsGoal;
    if (vectors === undefined || goal === undefined) return false;
    if (this.#isBuilding || compareHlc(await vectors.store.position(), goal) < 0) return true;
    this.#vectorsGoal = undefined;
    return false;
  }

  /** Vectors were stored, here or elsewhere. */
  async vectorsAdded(): Promise<void> {
    await this.#readVectors(await this.#opened());
  }

  /** Whether vectors that were stored could not be read, and nobody will say so again. */
  get lacksVectors(): boolean {
    return this.#lacksVectors;
  }

  async lexical(query: string, view: SearchView, limit: number) {
    return (await this.#opened()).index.lexical(query, view, limit);
  }

  async dense(vector: Float32Array, floor: number, view: SearchView, limit: number) {
    return (await this.#opened()).index.dense(vector, floor, view, limit);
  }

  async besides(seeds: Parameters<SearchIndex['besides']>[0], view: SearchView, limit: number) {
    return (await this.#opened()).index.besides(seeds, view, limit);
  }

  async newest(view: SearchView, limit: number) {
    return (await this.#opened()).index.newest(view, limit);
  }

  /** Writes a snapshot if enough has changed since the last one. */
  async save(): Promise<void> {
    const open = this.#open;
    if (open === undefined) return;
    const size = sizeOf(open);
    if (size - this.#savedSize < NEWS_PER_SNAPSHOT) return;
    const { index, feed, vectors, owner } = open;
    const written =
      vectors === undefined || this.#parts.vectors === undefined
        ? undefined
        : {
            embedder: this.#parts.vectors.embedder,
            seq: vectors.feed.seq,
            chunks: writeVectors(vectors.layer),
          };
    await this.#snapshots.save(
      owner,
      beginLater(() => index.snapshot(feed.applied)),
      written,
    );
    this.#savedSize = size;
  }

  /** Waits for what is under way, but not until every fact was read: the store ends that. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const open = await this.#opening?.catch(() => undefined);
    await open?.feed.stop();
  }

  #opened(): Promise<OpenIndex> {
    this.#opening ??= this.#openIndex().catch((error: unknown) => {
      this.#opening = undefined;
      throw error;
    });
    return this.#opening;
  }

  async #readVectors({ vectors }: OpenIndex): Promise<void> {
    try {
      await vectors?.feed.catchUp();
      this.#lacksVectors = false;
    } catch (error) {
      this.#lacksVectors = true;
      throw error;
    }
  }

  async #openIndex(): Promise<OpenIndex> {
    const { store, self, log, clock } = this.#parts;
    const beganMs = clock.monotonicMs();
    // Before anything is read: what is erased from then on may be in the index.
    const erasures = await this.#parts.snapshots.erasures();
    const owner = { nodeId: self.nodeId, epoch: await store.read((snapshot) => snapshot.epoch()), erasures };
    const found = await this.#snapshots.find(owner);
    const restored = found === undefined ? undefined : await this.#restore(found);
    const index = restored?.index ?? MemoryIndex.create(drawHashSeed(this.#parts.random));
    const suppression = restored?.suppression ?? (await openSuppression(index, this.#parts));
    const feed = new IndexFeed({
      feed: this.#parts.feed,
      index,
      suppression,
      names: self.names,
      epoch: owner.epoch,
      ...(restored === undefined ? {} : { applied: restored.applied }),
      onError: (error) => log.warn('the search index fell behind; the next search catches up', { error }),
    });
    const vectors = await this.#openVectors(index, feed, restored === undefined ? undefined : found);
    const open: OpenIndex = { index, feed, vectors, owner };
    this.#open = open;
    this.#savedSize = sizeOf(open);
    this.#building = this.#build(open, beganMs);
    return open;
  }

  /** Reads what the snapshot did not have. Searches may begin meanwhile. */
  async #build(open: OpenIndex, beganMs: number): Promise<void> {
    const { log, clock } = this.#parts;
    const { index, feed } = open;
    const restored = index.size;
    try {
      await feed.catchUp();
      this.#isBuilding = false;
      await this.#readVectors(open);
      if (index.size > 0) {
        log.info('the search index is up to date', {
          facts: index.size,
          restored,
          ms: Math.round(clock.monotonicMs() - beganMs),
        });
      }
    } catch (error) {
      this.#isBuilding = false;
      if (this.#isClosed) return;
      log.warn('the search index could not be brought up to date; the next search tries again', { error });
    }
  }

  async #restore(found: FoundSnapshot) {
    try {
      const restored = await MemoryIndex.restore(found.index());
      return { ...restored, suppression: await openSuppression(restored.index, this.#parts) };
    } catch (error) {
      this.#parts.log.warn('the snapshot of the search index cannot be used; the index is built anew', { error });
      return undefined;
    }
  }

  async #openVectors(
    index: MemoryIndex,
    feed: IndexFeed,
    found: FoundSnapshot | undefined,
  ): Promise<OpenIndex['vectors']> {
    const { vectors: side, log } = this.#parts;
    if (side === undefined) return undefined;
    let layer = index.createVectors<CodeTable>(side.codes);
    let seq = 0;
    if (found?.vectors?.embedder === side.embedder) {
      try {
        await readVectors(found.vectors.chunks(), layer);
        ({ seq } = found.vectors);
      } catch (error) {
        log.warn('the snapshot of vectors cannot be used; they are read from the store', { error });
        layer = index.createVectors<CodeTable>(side.codes);
      }
    }
    index.serveVectors(layer);
    return { layer, feed: new VectorFeed(side.store, layer, seq, () => feed.catchUp()) };
  }

  /** Better an answer from most facts than none, while very many are read. */
  async #isLate(work: Promise<void>): Promise<boolean> {
    let cancel = (): void => {};
    const patience = new Promise<'late'>((resolve) => {
      cancel = this.#parts.clock.schedule(BUILD_PATIENCE_MS, () => resolve('late'));
    });
    try {
      if ((await Promise.race([work, patience])) !== 'late') return false;
      this.#parts.log.warn('a search was answered while the index is still being built');
      return true;
    } finally {
      cancel();
    }
  }
}

const sizeOf = ({ index, vectors }: Pick<OpenIndex, 'index' | 'vectors'>): number =>
  index.size + (vectors?.layer.tables.reduce((sum, table) => sum + (table?.size ?? 0), 0) ?? 0);
