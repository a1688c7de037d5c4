import type { Hlc } from '../../../kernel/plugin-api.ts';
import type { MemoryIndex, RestoredIndex } from '../index/memory-index.ts';
import {
  type FileExtent,
  isCurrent,
  type OpenFile,
  type SnapshotExtents,
  type SnapshotTarget,
  writeFrames,
} from '../snapshot/snapshot-extents.ts';
import type { SnapshotPlace } from '../snapshot/snapshot-format.ts';
import { FrameWriter } from '../snapshot/snapshot-frames.ts';
import { writeVectors } from '../snapshot/vector-snapshot.ts';
import type { HeldLayer } from './held-layers.ts';

/**
 * The maximum share of documents added after the first segment. Beyond it, all documents are rewritten as one segment.
 */
const MOST_ADDED = 0.5;
/** The maximum number of segments. A write examines every list for each segment; reading them costs little. */
const MOST_SEGMENTS = 40;
/**
 * The maximum size of the vector file, as a multiple of its valid content. Changed blocks are appended until the file
 * exceeds it.
 */
const MOST_OUTGROWN = 1.5;

interface WrittenIndex extends OpenFile {
  readonly place: SnapshotPlace;
  /** The number of documents in the first segment. */
  readonly base: number;
  readonly segments: number;
}

/** Tracks the parts of an index that files hold, so that a write stores only new ones. */
export class WrittenState {
  #index: WrittenIndex | undefined;

  /** Notes that the index was read from a file. */
  restored(file: FileExtent, { place, frames }: Pick<RestoredIndex, 'place' | 'frames'>): void {
    // An unfinished write may have reached beyond the end of a hidden file, where nothing may be written twice.
    if (file.key !== undefined) return;
    // The division into segments is unknown, so the file counts as one segment.
    this.#index = { ...file, place, frames, base: place.documents, segments: 1 };
  }

  /**
   * `applied` returns the feed stamp up to which the index is current. Must not run concurrently. After a rejection,
   * the next call writes everything.
   */
  async write(
    index: MemoryIndex,
    applied: () => Hlc,
    main: HeldLayer | undefined,
    target: SnapshotTarget,
  ): Promise<SnapshotExtents> {
    try {
      // Writes the vectors first, so that the index has all facts of the vectors.
      const vectors = main === undefined ? undefined : await this.#writeVectors(main, target);
      return { index: await this.#writeIndex(index, applied(), target), vectors };
    } catch (error) {
      this.#index = undefined;
      if (main !== undefined) main.written = undefined;
      throw error;
    }
  }

  async #writeIndex(index: MemoryIndex, applied: Hlc, target: SnapshotTarget): Promise<FileExtent> {
    const { fresh, keys, kept, isHasty } = target;
    const before = this.#index;
    const goesOn =
      before !== undefined && isCurrent(before, kept?.index) && (isHasty || !isOutgrown(before, index.size));
    const segment = index.snapshot(applied, goesOn ? { since: before.place, firstFrame: before.frames } : {});
    const from = goesOn ? before : { file: fresh.index, bytes: 0, key: keys?.index };
    const written = await writeFrames(from, segment.chunks, segment.writer);
    this.#index = {
      ...written,
      place: segment.to,
      base: goesOn ? before.base : segment.to.documents,
      segments: goesOn ? before.segments + 1 : 1,
    };
    return { file: written.file, bytes: written.bytes, key: written.key };
  }

  async #writeVectors(main: HeldLayer, { fresh, keys, kept, isHasty }: SnapshotTarget) {
    const { name: embedder, layer, written: before, seq } = main;
    const size = layer.tables.reduce((sum, table) => sum + (table?.bytes ?? 0), 0);
    const goesOn =
      before !== undefined && isCurrent(before, kept?.vectors) && (isHasty || before.bytes <= size * MOST_OUTGROWN);
    const writer = new FrameWriter(goesOn ? before.frames : 0);
    const from = goesOn ? before : { file: fresh.vectors, bytes: 0, key: keys?.vectors };
    main.written = await writeFrames(from, writeVectors(layer, goesOn ? 'changed' : 'all', writer), writer);
    const { file, bytes, key } = main.written;
    return { file, bytes, key, embedder, seq };
  }
}

const isOutgrown = ({ base, segments }: WrittenIndex, documents: number): boolean =>
  segments >= MOST_SEGMENTS || documents - base > base * MOST_ADDED;
