import { readKeyFile } from '../adapters/sealed/content-key-file.ts';
import { sha256 } from '../adapters/sealed/sha256.ts';
import type { StoreCopies } from '../kernel/leases/store-copies.ts';
import type { Logger } from '../kernel/log/logger.ts';
import type { ContentSeal, FactStore, KeySource, ObjectStores } from '../ports/ports.ts';
import { contentKeyPath } from './content-key-place.ts';
import { type BackupPlaces, placeKeyCopy, replaceKeyCopies } from './key-copies.ts';
import type { NodeConfig } from './node-config.ts';
import { markSealed } from './seal-state.ts';
import { openStoreSeal, type StoreSeal } from './store-seal.ts';

export interface NodeSealParts {
  readonly config: NodeConfig;
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
  /** Opens the seal for a node that may make its store. */
  open(): Promise<ContentSeal | undefined>;
  /** Opens the seal for a command that makes no store. */
  openExisting(): Promise<ContentSeal | undefined>;
  /** Says in a new store that it is sealed, before it gets a fact. */
  mark(store: FactStore): Promise<void>;
  readonly placeKeys: StoreCopies['placeKeys'];
  /** Replaces the copies of the content keys beside all backups. Returns sentences about those that stay. */
  replaceCopies(text: string): Promise<readonly string[]>;
}

export const createNodeSeal = (parts: NodeSealParts): NodeSeal => {
  const { config, objects, backupPlaces } = parts;
  let opened: Promise<StoreSeal> | undefined;
  const openOnce = (createsKeys: boolean): Promise<StoreSeal> => {
    opened ??= openStoreSeal({ ...parts, replaceCopies }, createsKeys);
    return opened;
  };
  const replaceCopies = async (text: string): Promise<readonly string[]> =>
    replaceKeyCopies(backupPlaces?.() ?? {}, objects, text);
  return {
    replaceCopies,
    open: async () => (await openOnce(true)).seal,
    openExisting: async () => (await openOnce(false)).seal,
    mark: async (store) => {
      const { newMark } = await openOnce(true);
      if (newMark !== undefined) await markSealed(store, newMark);
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

const digestOf = (text: string): string => sha256(Buffer.from(text)).toString('hex');
