import { open } from 'node:fs/promises';
import { othersGoFirst } from '../../kernel/internal-api.ts';

/** The bytes of an archive, in a file or in memory. */
export interface ArchiveBytes {
  readonly size: number;
  /** Returns fewer bytes than requested where the archive ends. */
  read(position: number, length: number): Promise<Buffer>;
  close(): Promise<void>;
}

export type OpenArchive = () => Promise<ArchiveBytes>;

export const archiveFile =
  (path: string): OpenArchive =>
  async () => {
    const handle = await open(path, 'r');
    const { size } = await handle.stat();
    return {
      size,
      async read(position, length) {
        const { buffer, bytesRead } = await handle.read(Buffer.allocUnsafe(length), 0, length, position);
        return buffer.subarray(0, bytesRead);
      },
      close: () => handle.close(),
    };
  };

/** Reads an archive in memory, until the signal aborts. */
export const archiveIn =
  (content: Buffer, signal?: AbortSignal): OpenArchive =>
  async () => ({
    size: content.length,
    async read(position, length) {
      // Memory never waits, so without a pause the requests of others would wait for the whole archive.
      await othersGoFirst();
      signal?.throwIfAborted();
      return content.subarray(position, position + length);
    },
    async close() {},
  });
