import { dirname } from 'node:path';
import { createFolder } from '../adapters/files/create-folder.ts';
import {
  type KeyFileHeader,
  openKeys,
  readKeyFile,
  readKeyFileHeader,
  replaceKeyFile,
} from '../adapters/sealed/content-key-file.ts';
import type { KeyCopyPlace } from '../kernel/leases/store-copies.ts';
import type { FactStore, KeySource } from '../ports/ports.ts';
import { contentKeyPath } from './content-key-place.ts';
import { noKey, noKeyFile, refuseUnfit, requireRoot } from './fitting-keys.ts';
import { readKeyCopy } from './key-copies.ts';
import type { NodeConfig } from './node-config.ts';
import { readSealState } from './seal-mark.ts';

export interface RestoredKeyParts {
  readonly config: Pick<NodeConfig, 'store' | 'node'>;
  readonly keySource: KeySource | undefined;
  /** The place of the backup. */
  readonly keysIn: KeyCopyPlace;
}

/**
 * Makes sure that a restored store which is sealed has its content keys. Takes the newest of those on this machine and
 * beside the backup, because an older file could bring destroyed keys back. Rejects before the store takes its place if
 * none fit and open, or if a rotation has destroyed those of the backup.
 */
export const adoptKeys = async (store: FactStore, { config, keySource, keysIn }: RestoredKeyParts): Promise<void> => {
  const { mark } = await readSealState(store);
  if (mark === undefined) return;
  if (keySource === undefined) throw noKey();
  const path = contentKeyPath(config);
  const here = await readKeyFile(path);
  // A file of another store stays: its own store may still need it.
  if (here !== undefined) refuseUnfit({ ...readKeyFileHeader(here, path), version: mark.version }, mark, path);
  const found = [await readKeyCopy(keysIn), here].flatMap((text) => text ?? []);
  const fitting = found.filter((text) => headerOf(text).id === mark.id);
  const newest = fitting.toSorted((one, other) => headerOf(other).version - headerOf(one).version)[0];
  if (newest === undefined) throw noKeyFile(path);
  refuseUnfit(headerOf(newest), mark, path);
  requireRoot(await openKeys(newest, keySource, path), mark, path);
  if (newest === here) return;
  createFolder(dirname(path), 0o700);
  await replaceKeyFile(path, newest);
};

const headerOf = (text: string): KeyFileHeader => readKeyFileHeader(text, 'the place of the backup');
