import { openKeys, readKeyFile, readKeyFileHeader, spellKeys } from '../adapters/sealed/content-key-file.ts';
import { type ContentKeys, freshKeys, presentRoot } from '../adapters/sealed/content-keys.ts';
import { type ContentSealParts, sealWith } from '../adapters/sealed/content-seal.ts';
import type { Logger } from '../kernel/log/logger.ts';
import { type ContentSeal, type FactStore, type KeySource, ServiceError } from '../ports/ports.ts';
import { contentKeyPath, createKeyFile } from './content-key-place.ts';
import type { NodeConfig } from './node-config.ts';
import { NEW_STORE, readSealState, type SealMark, type SealState } from './seal-state.ts';

export interface StoreSealParts {
  readonly config: Pick<NodeConfig, 'store' | 'node'>;
  /** The keys of the operator. Undefined for a node that seals nothing. */
  readonly keySource: KeySource | undefined;
  readonly log: Pick<Logger, 'warn'>;
  /** Opens the store without a seal. */
  readonly openClear: () => Promise<FactStore>;
  /** See `ContentSealParts`. */
  readonly replaceCopies?: ContentSealParts['replaceCopies'];
}

/** How the contents of the configured store are to be read and written. */
export interface StoreSeal {
  /** Undefined for a store whose contents are clear. */
  readonly seal: ContentSeal | undefined;
  /** The mark that a new store gets as soon as it has tables. */
  readonly newMark?: SealMark;
}

/**
 * Opens the seal of the configured store before the store itself. A new store is sealed if there is a key, and any
 * other stays as it is. Rejects, with nothing touched, where the keys of a sealed store are missing, older than the
 * store, or of another one. `createsKeys` is false for a command that makes no store.
 */
export const openStoreSeal = async (parts: StoreSealParts, createsKeys: boolean): Promise<StoreSeal> => {
  const { config, keySource, log } = parts;
  const state = await readStoreSealState(parts);
  if (state.unfinished !== undefined) throw unfinished(state.unfinished.to);
  if (state.mark !== undefined) return { seal: await openMarked(parts, state.mark) };
  if (keySource === undefined || (state.isNew && !createsKeys)) return { seal: undefined };
  if (!state.isNew) {
    log.warn('the store is not sealed, because it was made without a key', {
      hint: '"fact-memory-node encryption on" seals it, with the node stopped',
    });
    return { seal: undefined };
  }
  const path = contentKeyPath(config);
  const text = (await readKeyFile(path)) ?? (await createKeyFile(path, await spellKeys(freshKeys(), keySource)));
  const keys = await openKeys(text, keySource, path);
  return { seal: sealWith(keys, { ...parts, path, source: keySource }), newMark: markOf(keys) };
};

/** Reads the state of the configured store, without making one. */
export const readStoreSealState = async ({
  config,
  openClear,
}: Pick<StoreSealParts, 'config' | 'openClear'>): Promise<SealState> => {
  const { adapter, settings } = config.store;
  if (adapter.exists?.(settings) === false) return NEW_STORE;
  const store = await openClear();
  try {
    return await readSealState(store);
  } finally {
    await store.close();
  }
};

const openMarked = async (parts: StoreSealParts, mark: SealMark): Promise<ContentSeal> => {
  const path = contentKeyPath(parts.config);
  if (parts.keySource === undefined) throw noKey();
  const text = await readKeyFile(path);
  if (text === undefined) throw noKeyFile(path);
  refuseUnfit(readKeyFileHeader(text, path), mark, path);
  const keys = await openKeys(text, parts.keySource, path);
  requirePresentRoot(keys, mark, path);
  return sealWith(keys, { ...parts, path, source: parts.keySource });
};

/** Returns the mark of a store whose rows are sealed with the present ones of these keys. */
export const markOf = (keys: ContentKeys): SealMark => ({
  id: keys.id,
  version: keys.version,
  root: presentRoot(keys).id,
});

/** Throws where a rotation has dropped the root with which the rows of the store are sealed. */
export const requireRoot = ({ roots }: ContentKeys, mark: SealMark, path: string): void => {
  if (roots.some(({ id }) => id === mark.root)) return;
  throw new ServiceError('conflict', `a rotation has destroyed the keys of this backup, and ${path} has later ones`, {
    hint: 'restore a backup from after "encryption rotate"; no key opens the contents of an earlier one any more',
  });
};

/** Throws also where a rotation has drawn a root that the rows of the store do not have yet. */
export const requirePresentRoot = (keys: ContentKeys, mark: SealMark, path: string): void => {
  requireRoot(keys, mark, path);
  if (presentRoot(keys).id === mark.root) return;
  throw new ServiceError('conflict', `a rotation of the content keys in ${path} has not reached this store`, {
    hint: 'run "fact-memory-node encryption rotate", which goes on with it; then start the node',
  });
};

/** Throws where a file of content keys is of another store, or older than this one. */
export const refuseUnfit = (file: Omit<SealMark, 'root'>, mark: SealMark, path: string): void => {
  if (file.id !== mark.id) {
    throw new ServiceError('conflict', `the content keys in ${path} belong to another store`, {
      hint: 'put back the file of this store, or name it in SVC_ENCRYPTION_KEY_STORE; a copy lies beside its backups',
    });
  }
  if (file.version < mark.version) throw olderKeys(path);
};

export const olderKeys = (path: string): ServiceError =>
  new ServiceError('conflict', `the content keys in ${path} are older than the store`, {
    hint:
      'put back the newest file, of which a copy lies beside the backups; an older one could bring back keys that ' +
      'an erasure has destroyed',
  });

export const noKey = (): ServiceError =>
  new ServiceError('conflict', 'the contents of this store are sealed, and the node has no encryption key', {
    hint: 'give the key in SVC_ENCRYPTION_KEY_FILE or SVC_ENCRYPTION_KEY_COMMAND; without it nobody opens them',
  });

export const noKeyFile = (path: string): ServiceError =>
  new ServiceError('lookup', `the contents of this store are sealed, and there are no content keys at ${path}`, {
    hint: 'put back the file, of which a copy lies beside the backups, or name its place in SVC_ENCRYPTION_KEY_STORE',
  });

const unfinished = (conversion: string): ServiceError =>
  new ServiceError('conflict', `"encryption ${conversion}" was begun on this store and is not finished`, {
    hint: `run "fact-memory-node encryption ${conversion}" again, which goes on; then start the node`,
  });
