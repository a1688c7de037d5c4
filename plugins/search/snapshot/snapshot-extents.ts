import { open } from 'node:fs/promises';
import type { FrameWriter } from './snapshot-frames.ts';

/** A file of frames, of which so many bytes count: what lies behind them was never finished. */
export interface FileExtent {
  readonly file: string;
  readonly bytes: number;
}

/** The state that a writer needs to append to a file. */
export interface OpenFile extends FileExtent {
  /** Number of its next frame. */
  readonly frames: number;
}

/** The vectors of one generation up to a place. */
export interface VectorExtent extends FileExtent {
  /** Name of the generation. */
  readonly embedder: string;
  readonly seq: number;
}

/** The files of a snapshot. */
export interface SnapshotExtents {
  readonly index: FileExtent;
  /** No newer than the index, which has every fact that a vector belongs to. */
  readonly vectors?: VectorExtent | undefined;
}

/** Where an index is to be written down. */
export interface SnapshotTarget {
  /** Files that are not there yet. */
  readonly fresh: { readonly index: string; readonly vectors: string };
  /** The snapshot that counts now. A writer that knows its files may append to them. */
  readonly kept?: SnapshotExtents | undefined;
  /** Whether time is short, so that files are gone on with that would otherwise be written anew. */
  readonly isHasty: boolean;
}

/** Whether a file is the one that counts. */
export const isCurrent = (file: FileExtent, kept: FileExtent | undefined): boolean =>
  file.file === kept?.file && file.bytes === kept.bytes;

/** Writes frames behind those that count, or into a new file. An empty chunk is time for others. */
export const writeFrames = async (
  { file, bytes }: FileExtent,
  chunks: Iterable<Uint8Array>,
  writer: FrameWriter,
): Promise<OpenFile> => {
  const handle = await open(file, bytes > 0 ? 'r+' : 'w', OWNER_ONLY);
  let at = bytes;
  try {
    for (const chunk of chunks) {
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
  return { file, bytes: at, frames: writer.next };
};

/** A snapshot holds what everybody said. */
const OWNER_ONLY = 0o600;
