import {
  openKeys,
  readKeyFile,
  readKeyFileHeader,
  replaceKeyFile,
  spellKeys,
  zeroFormerKeys,
} from '../adapters/sealed/content-key-file.ts';
import { freshKeys } from '../adapters/sealed/content-keys.ts';
import { sealWith } from '../adapters/sealed/content-seal.ts';
import { sha256 } from '../adapters/sealed/sha256.ts';
import type { NodeDescription } from '../kernel/description/node-description.ts';
import { removeDrafts } from '../kernel/files/draft-file.ts';
import type { StoreCopies } from '../kernel/leases/store-copies.ts';
import type { Logger } from '../kernel/log/logger.ts';
import {
  type ContentSeal,
  DEFAULT_TENANT,
  type FactStore,
  type KeySource,
  type ObjectStores,
  ServiceError,
} from '../ports/ports.ts';
import { contentKeyPath, createKeyFile } from './content-key-place.ts';
import { keysOfAnother, markOf, noKey, noKeyFile, refuseUnfit, requirePresentRoot } from './fitting-keys.ts';
import { type BackupPlaces, placeKeyCopy, replaceKeyCopies } from './key-copies.ts';
import type { NodeConfig } from './node-config.ts';
import { markSealed, NEW_STORE, readSealState, type SealMark, type SealState } from './seal-mark.ts';

export interface NodeSealParts {
  readonly config: NodeConfig;
  /** The keys of the operator. Undefined for a node that seals nothing. */
  readonly keySource: KeySource | undefined;
  readonly log: Logger;
  readonly objects: ObjectStores;
  /** Opens the store without a seal. */
  readonly openClear: () => Promise<FactStore>;
  /** Returns the places of backups, which keep copies of the content keys; undefined for a throw-away store. */
  readonly backupPlaces: (() => BackupPlaces | undefined) | undefined;
}

/** The seal of the store of one node, which is opened once. */
export interface NodeSeal {
  /**
   * Opens the seal before the store, for a node that may make its store. A new store is sealed if there is a key, and
   * any other stays as it is: undefined is a clear one. Rejects, with nothing touched, where the keys of a sealed store
   * are missing, older than the store, or of another one.
   */
  open(): Promise<ContentSeal | undefined>;
  /** Opens the seal for a command that makes no store. */
  openExisting(): Promise<ContentSeal | undefined>;
  /** Tells whether the opened store is sealed, and with which key of the operator. */
  readonly describe: NodeDescription['readSeal'];
  /** Says in a new store that it is sealed, before it gets a fact, and then in the file of keys that it is used. */
  mark(store: FactStore): Promise<void>;
  /** Rejects where a new store would begin with the keys of another one. */
  inspectNew(): Promise<void>;
  readonly placeKeys: StoreCopies['placeKeys'];
  /** Replaces the copies of the content keys beside all backups. Returns sentences about those that stay. */
  replaceCopies(text: string): Promise<readonly string[]>;
}

export const createNodeSeal = (parts: NodeSealParts): NodeSeal => {
  const { config, keySource, objects, backupPlaces } = parts;
  let opened: Promise<OpenedSeal> | undefined;
  const openOnce = (createsKeys: boolean): Promise<OpenedSeal> => {
    opened ??= openSeal({ ...parts, replaceCopies }, createsKeys);
    return opened;
  };
  const replaceCopies = async (text: string): Promise<readonly string[]> =>
    replaceKeyCopies(backupPlaces?.() ?? {}, objects, text);
  return {
    replaceCopies,
    open: async () => (await openOnce(true)).seal,
    openExisting: async () => (await openOnce(false)).seal,
    describe: async () => {
      if ((await openOnce(false)).seal === undefined) return { isSealed: false, keyId: null };
      const path = contentKeyPath(config);
      const text = await readKeyFile(path);
      return { isSealed: true, keyId: text === undefined ? null : readKeyFileHeader(text, path).keyId };
    },
    mark: async (store) => {
      const { seal, newMark, isUnused } = await openOnce(true);
      if (newMark !== undefined) await markSealed(store, newMark);
      if (isUnused === true && keySource !== undefined) await markUsed(store, contentKeyPath(config), keySource);
      if (seal !== undefined) await zeroFormerKeys(contentKeyPath(config));
    },
    inspectNew: async () => {
      const path = contentKeyPath(config);
      const text = keySource === undefined ? undefined : await readKeyFile(path);
      if (text !== undefined && !readKeyFileHeader(text, path).isUnused) throw keysOfAnother(path);
    },
    placeKeys: async (place, before) => {
      if ((await openOnce(false)).seal === undefined) return undefined;
      const path = contentKeyPath(config);
      let placed = before;
      let present = await readKeyFile(path);
      // An erasure may have replaced the copy meanwhile, and the keys that it has destroyed must not come back.
      while (present !== undefined && digestOf(present) !== placed) {
        await placeKeyCopy(place, present);
        placed = digestOf(present);
        present = await readKeyFile(path);
      }
      return placed;
    },
  };
};

/** Reads the state of the configured store, without making one. */
export const readStoreSealState = async ({
  config,
  openClear,
}: Pick<NodeSealParts, 'config' | 'openClear'>): Promise<SealState> => {
  const { adapter, settings } = config.store;
  if (adapter.exists?.(settings) === false) return NEW_STORE;
  const store = await openClear();
  try {
    return await readSealState(store);
  } finally {
    await store.close();
  }
};

/** How the contents of the configured store are to be read and written. */
interface OpenedSeal {
  /** Undefined for a store whose contents are clear. */
  readonly seal: ContentSeal | undefined;
  /** The mark that a new store gets as soon as it has tables. */
  readonly newMark?: SealMark;
  /** True while the file of keys does not say that a store uses it. */
  readonly isUnused?: boolean;
}

type OpeningParts = NodeSealParts & Pick<NodeSeal, 'replaceCopies'>;

const openSeal = async (parts: OpeningParts, createsKeys: boolean): Promise<OpenedSeal> => {
  const { config, keySource, log } = parts;
  const state = await readStoreSealState(parts);
  if (state.unfinished !== undefined) throw unfinished(state.unfinished.to);
  if (state.mark !== undefined) return openMarked(parts, state.mark);
  if (keySource === undefined || (state.isNew && !createsKeys)) return { seal: undefined };
  if (!state.isNew) {
    log.warn('the store is not sealed, because it was made without a key', {
      hint: '"fact-memory-node encryption on" seals it, with the node stopped',
    });
    return { seal: undefined };
  }
  const path = contentKeyPath(config);
  const text =
    (await readKeyFile(path)) ??
    (await createKeyFile(path, await spellKeys(freshKeys(), keySource, { isUnused: true })));
  if (!readKeyFileHeader(text, path).isUnused) {
    // Another process may have made the store meanwhile.
    const { mark } = await readStoreSealState(parts);
    if (mark === undefined) throw keysOfAnother(path);
    return openMarked(parts, mark);
  }
  const keys = await openKeys(text, keySource, path);
  return { seal: sealWith(keys, { ...parts, path, source: keySource }), newMark: markOf(keys), isUnused: true };
};

/**
 * Says in the file of keys that a store uses it. Every process does so before it serves, and one after another, so that
 * no process writes a file from before an erasure.
 */
const markUsed = (store: FactStore, path: string, source: KeySource): Promise<void> =>
  store.write(DEFAULT_TENANT, async () => {
    const text = await readKeyFile(path);
    if (text === undefined) throw noKeyFile(path);
    if (!readKeyFileHeader(text, path).isUnused) return;
    await removeDrafts(path);
    await replaceKeyFile(path, await spellKeys(await openKeys(text, source, path), source));
  });

const openMarked = async (parts: OpeningParts, mark: SealMark): Promise<OpenedSeal> => {
  const path = contentKeyPath(parts.config);
  if (parts.keySource === undefined) throw noKey();
  const text = await readKeyFile(path);
  if (text === undefined) throw noKeyFile(path);
  const header = readKeyFileHeader(text, path);
  refuseUnfit(header, mark, path);
  const keys = await openKeys(text, parts.keySource, path);
  requirePresentRoot(keys, mark, path);
  return { seal: sealWith(keys, { ...parts, path, source: parts.keySource }), isUnused: header.isUnused };
};

const unfinished = (conversion: string): ServiceError =>
  new ServiceError('conflict', `"encryption ${conversion}" was begun on this store and is not finished`, {
    hint: `run "fact-memory-node encryption ${conversion}" again, which goes on; then start the node`,
  });

const digestOf = (text: string): string => sha256(Buffer.from(text)).toString('hex');
