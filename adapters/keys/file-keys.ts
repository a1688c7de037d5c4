import { constants, type FileHandle, open } from 'node:fs/promises';
import { type KeySource, ServiceError } from '../../ports/ports.ts';
import { decodeKeys, MOST_KEY_BYTES } from './decode-keys.ts';

/** The mode bits for everybody. A group is allowed, because secrets that a container mounts belong to one. */
const EVERYBODY = 0o007;

/** Reads the keys from a file each time. */
export const createFileKeys = (path: string): KeySource => ({
  readKeys: async () => decodeKeys(await readKeyFile(path), path),
});

const readKeyFile = async (path: string): Promise<Buffer> => {
  // Opening a pipe that nobody writes to would wait without this flag, which Windows has not.
  const file = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)).catch((error: unknown) => {
    throw unreadable(path, error);
  });
  try {
    return await readWhole(file, path);
  } finally {
    await file.close();
  }
};

const readWhole = async (file: FileHandle, path: string): Promise<Buffer> => {
  const found = await file.stat();
  if (!found.isFile()) throw new ServiceError('validation', `${path} is not a regular file`);
  // On systems without owners and groups the mode has no meaning.
  if (process.platform !== 'win32' && (found.mode & EVERYBODY) !== 0) {
    throw new ServiceError('unavailable', `every user of this machine may open the key file ${path}`, {
      hint: `run: chmod 600 ${path}`,
    });
  }
  if (found.size > MOST_KEY_BYTES) throw new ServiceError('validation', `${path} is too large for a file of keys`);
  return file.readFile();
};

const unreadable = (path: string, cause: unknown): ServiceError =>
  new ServiceError('unavailable', `the key file ${path} cannot be read (${(cause as NodeJS.ErrnoException).code})`, {
    hint: 'put the file back from where you keep secrets; without the key nobody opens what it has sealed',
    cause,
  });
