import { randomUUID } from 'node:crypto';
import { link, rm } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { createFolder } from '../adapters/files/create-folder.ts';
import { syncPath } from '../adapters/files/durable-file.ts';
import { readKeyFile, replaceKeyFile } from '../adapters/sealed/content-key-file.ts';
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
  const draft = `${path}.${randomUUID()}`;
  try {
    await replaceKeyFile(draft, text);
    // Unlike a renamed file, a link never replaces a file.
    await link(draft, path);
    await syncPath(dirname(path));
    return text;
  } catch (error) {
    const there = (error as NodeJS.ErrnoException).code === 'EEXIST' ? await readKeyFile(path) : undefined;
    if (there === undefined) throw error;
    return there;
  } finally {
    await rm(draft, { force: true });
  }
};
