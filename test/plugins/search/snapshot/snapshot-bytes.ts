import type { MemoryIndex } from '../../../../plugins/search/index/memory-index.ts';
import type { SnapshotOptions } from '../../../../plugins/search/snapshot/write-snapshot.ts';
import { stamp } from '../../../kit/fact-samples.ts';

/** Returns the snapshot of an index as one array. */
export const snapshotBytes = (index: MemoryIndex, applied = stamp(1_000), options: SnapshotOptions = {}): Buffer => {
  const pieces: Uint8Array[] = [];
  for (const piece of index.snapshot(applied, options).chunks) pieces.push(Uint8Array.from(piece));
  return Buffer.concat(pieces);
};
