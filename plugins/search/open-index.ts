import type { Clock, FactFeed, Logger, NodeSelf, PluginSnapshot, SuppressedFacts } from '../../kernel/plugin-api.ts';
import { IndexFeed } from './feed/follow-feed.ts';
import { openSuppression } from './feed/follow-suppression.ts';
import type { IndexHost } from './host/index-host.ts';
import type { SnapshotExtents } from './snapshot/snapshot-extents.ts';
import type { SnapshotOwner } from './snapshot/snapshot-files.ts';
import type { SnapshotStore } from './snapshot/snapshot-store.ts';
import { ServedVectors } from './vectors/served-vectors.ts';
import type { VectorSide } from './vectors/vector-side.ts';

export interface IndexParts {
  /** Opens snapshots of all facts, regardless of the rights of callers. */
  readonly store: { read<T>(work: (snapshot: PluginSnapshot) => Promise<T>): Promise<T> };
  readonly feed: FactFeed;
  readonly clock: Clock;
  readonly self: NodeSelf;
  readonly log: Logger;
  readonly snapshots: SnapshotStore;
  createHost(): IndexHost;
  /** Undefined if no plugin hides facts. */
  readonly suppressed?: SuppressedFacts | undefined;
  /** Undefined without an embedder. */
  readonly vectors: VectorSide | undefined;
}

/** An open index, with the feeds that keep it current. */
export interface OpenIndex {
  readonly index: IndexHost;
  readonly feed: IndexFeed;
  readonly vectors: ServedVectors | undefined;
  readonly owner: SnapshotOwner;
}

export interface OpenOptions {
  /** Reads everything from the store instead of a snapshot. */
  readonly anew?: boolean;
  /** Called when the read of a snapshot has begun. */
  begun?(): void;
  /** Called after each page of the feed and awaited. */
  pause?(): Promise<void>;
}

const OTHER_HISTORY =
  'the store was restored, or lost facts: the next search builds the search index anew by itself, and nothing is to be done';

/**
 * Opens an index from its snapshot, if there is one; the feed adds everything later. The store is the source of truth,
 * so an unusable file only costs the time to read the facts again.
 */
export const openIndex = async (
  parts: IndexParts,
  { anew = false, begun = () => {}, pause }: OpenOptions = {},
): Promise<OpenIndex> => {
  const { store, self, log, snapshots } = parts;
  // Read the count of erasures first, because the index may hold facts that are erased from then on.
  const [erasures, build] = [await snapshots.erasures(), await snapshots.wantedBuild()];
  const owner = { nodeId: self.nodeId, epoch: await store.read((snapshot) => snapshot.epoch()), erasures, build };
  const found = anew ? undefined : await snapshots.find(owner);
  const restored = found === undefined ? undefined : await restore(found, begun, parts);
  const index = restored?.index ?? parts.createHost();
  let feed: IndexFeed | undefined;
  try {
    const suppression = restored?.suppression ?? (await openSuppression(index, parts));
    feed = new IndexFeed({
      feed: parts.feed,
      index,
      suppression,
      names: self.names,
      epoch: owner.epoch,
      ...(restored === undefined ? {} : { applied: restored.applied }),
      ...(pause === undefined ? {} : { pause }),
      onError: (error) => {
        const news = feed?.isVoid === true ? OTHER_HISTORY : 'the search index fell behind; the next search catches up';
        log.warn(news, { error });
      },
    });
    const vectors = await openVectors(index, feed, parts);
    return { index, feed, vectors, owner };
  } catch (error) {
    await feed?.stop();
    await index.close();
    throw error;
  }
};

const restore = async (found: SnapshotExtents, begun: () => void, parts: IndexParts) => {
  const index = parts.createHost();
  try {
    const restoring = index.restore(parts.vectors === undefined ? { index: found.index } : found);
    begun();
    const applied = await restoring;
    return { index, applied, suppression: await openSuppression(index, parts) };
  } catch (error) {
    await index.close();
    parts.log.warn('the snapshot of the search index cannot be used; the index is built anew', { error });
    return undefined;
  }
};

const openVectors = async (
  index: IndexHost,
  feed: IndexFeed,
  { vectors: side, log }: IndexParts,
): Promise<ServedVectors | undefined> => {
  if (side === undefined) return undefined;
  const vectors = new ServedVectors({
    ...side,
    index,
    indexFacts: () => feed.catchUp(),
    plan: () => side.generations.plan(),
    failed: (error) => log.warn('the snapshot of vectors cannot be used; they are read from the store', { error }),
  });
  await vectors.open();
  return vectors;
};

export const closeIndex = async ({ feed, index }: OpenIndex): Promise<void> => {
  await feed.stop();
  await index.close();
};

export const sizeOf = ({ index }: Pick<OpenIndex, 'index'>): number => index.size.facts + index.size.vectors;
