import { randomUUID } from 'node:crypto';
import { dirname, join, resolve } from 'node:path';
import { createFolder } from '../adapters/files/create-folder.ts';
import { readKeyFile, unusable } from '../adapters/sealed/content-key-file.ts';
import { writeSecretFile } from '../kernel/files/secret-file.ts';
import { noKeyFile } from './fitting-keys.ts';
import type { NodeConfig } from './node-config.ts';
import { storePlace } from './store-place.ts';

/** The name of the file of content keys in a data folder, and of its copy beside backups. */
export const CONTENT_KEYS = 'content-keys.json';

/** Returns the absolute path of the file of content keys. */
export const contentKeyPath = (config: Pick<NodeConfig, 'store' | 'node'>): string =>
  resolve(config.node.encryptionKeyStore ?? join(storePlace(config).dataFolder, CONTENT_KEYS));

/**
 * Writes the first file of content keys, which is durable and whole when this resolves. Returns the text of a file that
 * is there already, for example of another process that starts on the same new store.
 */
export const createKeyFile = async (path: string, text: string): Promise<string> => {
  createFolder(dirname(path), 0o700);
  const isWritten = await writeSecretFile(path, text.trimEnd(), { uuid: randomUUID }).catch((cause: unknown) => {
    throw unusable(path, cause);
  });
  if (isWritten) return text;
  const there = await readKeyFile(path);
  if (there === undefined) throw noKeyFile(path);
  return there;
};
