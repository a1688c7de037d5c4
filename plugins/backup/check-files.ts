import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { ServiceError } from '../../kernel/plugin-api.ts';
import { manifestIn } from './backup-folder.ts';
import type { Manifest } from './manifest-json.ts';

/** Reads a file and returns its entry for a manifest. */
export const digestOfFile = async (
  path: string,
  onBytes: (bytes: number) => void = () => {},
): Promise<{ readonly bytes: number; readonly sha256: string }> => {
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
    hash.update(chunk);
    bytes += chunk.length;
    onBytes(chunk.length);
  }
  return { bytes, sha256: hash.digest('hex') };
};

/** Reads every file of a backup. Throws `validation` with the file's name if one has changed. */
export const checkBackup = async (
  path: string,
  onProgress: (doneBytes: number, totalBytes: number) => void = () => {},
): Promise<Manifest> => {
  const manifest = await manifestIn(path);
  const files = [...manifest.copy.files, ...manifest.keyFiles];
  const total = files.reduce((sum, { bytes }) => sum + bytes, 0);
  let done = 0;
  for (const { name, bytes, sha256 } of files) {
    const size = (await stat(join(path, name)).catch(() => undefined))?.size;
    // Stops reading a file that has grown beyond its recorded size.
    if (size !== bytes) throw damaged(name);
    const found = await digestOfFile(join(path, name), (read) => {
      done += read;
      onProgress(done, total);
    });
    if (found.sha256 !== sha256) throw damaged(name);
  }
  return manifest;
};

const damaged = (name: string): ServiceError =>
  new ServiceError('validation', `the file ${name} of the backup is missing or damaged`, {
    hint: 'use another backup, and look for errors of the disk that this one lies on',
  });
