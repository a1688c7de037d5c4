import { open } from 'node:fs/promises';
import { fileCipher } from './file-cipher.ts';
import type { FrameWriter } from './snapshot-frames.ts';

/** A file of frames, and the number of its valid bytes: later bytes belong to an unfinished write. */
export interface FileExtent {
  readonly file: string;
  readonly bytes: number;
  /** The key that hides its bytes, on a sealed node. */
  readonly key?: Uint8Array | undefined;
}

/** The state that a writer needs to append to a file. */
export interface OpenFile extends FileExtent {
  /** The number of the next frame. */
  readonly frames: number;
}

/** The stored vectors of one generation, up to a position. */
export interface VectorExtent extends FileExtent {
  /** Name of the generation. */
  readonly embedder: string;
  readonly seq: number;
}

/** The files of a snapshot. */
export interface SnapshotExtents {
  readonly index: FileExtent;
  /** Never newer than the index, which has every fact of these vectors. */
  readonly vectors?: VectorExtent | undefined;
}

/** The files that a snapshot may use. */
export interface SnapshotTarget {
  /** Names of files that do not exist yet. */
  readonly fresh: { readonly index: string; readonly vectors: string };
  /** The keys of these files, on a sealed node. */
  readonly keys?: { readonly index: Uint8Array; readonly vectors: Uint8Array } | undefined;
  /** The current snapshot. A writer that knows its files may append to them. */
  readonly kept?: SnapshotExtents | undefined;
  /** True if time is short: the writer then appends to files that it would otherwise rewrite. */
  readonly isHasty: boolean;
}

/** True if a file is the current one. */
export const isCurrent = (file: FileExtent, kept: FileExtent | undefined): boolean =>
  file.file === kept?.file && file.bytes === kept.bytes;

/** Appends frames after the valid ones, or writes a new file. An empty chunk yields to other work. */
export const writeFrames = async (
  { file, bytes, key }: FileExtent,
  chunks: Iterable<Uint8Array>,
  writer: FrameWriter,
): Promise<OpenFile> => {
  const handle = await open(file, bytes > 0 ? 'r+' : 'w', OWNER_ONLY);
  const cipher = key === undefined ? undefined : fileCipher(key, bytes);
  let at = bytes;
  try {
    for (const content of chunks) {
      const chunk = cipher?.update(content) ?? content;
      if (chunk.length === 0) await new Promise<void>((resolve) => setImmediate(resolve));
      for (let done = 0; done < chunk.length; ) {
        const { bytesWritten } = await handle.write(chunk, done, chunk.length - done, at);
        done += bytesWritten;
        at += bytesWritten;
      }
    }
    await handle.sync();
  } finally {
    await handle.close();
  }
  return { file, bytes: at, frames: writer.next, key };
};

/** The mode of files with the content of facts, which only the owner may read. */
export const OWNER_ONLY = 0o600;
