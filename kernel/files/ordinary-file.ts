import { constants, type FileHandle, open } from 'node:fs/promises';
import { ServiceError } from '../../ports/ports.ts';

/**
 * Opens a file for reading; undefined for a missing one. Throws `validation` for a pipe, a socket, a device or a
 * folder, because a stranger may have put one into the place of a file, and reading it might never end.
 */
export const openOrdinaryFile = async (path: string): Promise<FileHandle | undefined> => {
  let file: FileHandle;
  try {
    // Opening a pipe that nobody writes to would wait without this flag, which Windows has not.
    file = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  } catch (error) {
    const { code } = error as { readonly code?: unknown };
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    // A socket cannot be opened at all.
    if (code === 'ENXIO' || code === 'ELOOP') throw noOrdinaryFile(path);
    throw error;
  }
  if ((await file.stat()).isFile()) return file;
  await file.close();
  throw noOrdinaryFile(path);
};

const noOrdinaryFile = (path: string): ServiceError => new ServiceError('validation', `${path} is not a regular file`);

/** Reads a whole file; undefined for a missing one. Throws as `openOrdinaryFile`, and for more than `mostBytes`. */
export const readOrdinaryFile = async (path: string, mostBytes: number): Promise<Buffer | undefined> => {
  const file = await openOrdinaryFile(path);
  if (file === undefined) return undefined;
  try {
    const bytes = await readPart(file, 0, mostBytes + 1);
    if (bytes.length <= mostBytes) return bytes;
    throw new ServiceError('validation', `${path} is larger than ${mostBytes} bytes`);
  } finally {
    await file.close();
  }
};

/** Returns at most `mostBytes` from a position of a file on, fewer at its end. */
export const readPart = async (file: FileHandle, start: number, mostBytes: number): Promise<Buffer> => {
  const { size } = await file.stat();
  const buffer = Buffer.alloc(Math.max(0, Math.min(mostBytes, size - start)));
  let length = 0;
  while (length < buffer.length) {
    const { bytesRead } = await file.read(buffer, length, buffer.length - length, start + length);
    if (bytesRead === 0) break;
    length += bytesRead;
  }
  return buffer.subarray(0, length);
};
