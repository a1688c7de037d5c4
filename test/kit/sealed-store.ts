import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ContentSeal, FactStore, OwnedMigration } from '../../ports/ports.ts';
import { createTemporaryDatabase } from '../adapters/postgres/temporary-database.ts';
import { createTemporaryStore } from '../adapters/sqlite/temporary-store.ts';
import type { StoreUnderTest } from '../contract/fact-store-contract.ts';
import { createTestSeal, type TestSeal } from './content-seal.ts';
import type { StoreKind } from './for-each-store.ts';

export interface SealedStore extends StoreUnderTest {
  readonly keys: TestSeal;
  /** The folder of the files of an SQLite store; undefined on PostgreSQL. */
  readonly folder: string | undefined;
  /** Opens another store on the data, with a seal of its own by default. */
  another(seal?: ContentSeal): Promise<FactStore>;
}

/**
 * Creates an empty store that seals, with its keys in another folder. With `migrations`, it is a copy of an empty one
 * that has them.
 */
export const createSealedStore = async (
  engine: StoreKind,
  migrations?: readonly OwnedMigration[],
): Promise<SealedStore> => {
  const keyFolder = await mkdtemp(join(tmpdir(), 'sealed-store-'));
  const keys = await createTestSeal(keyFolder);
  const { seal } = keys;
  const inner = await (engine === 'sqlite' ? createTemporaryStore : createTemporaryDatabase)({ seal }, migrations);
  const open = (options: { readonly seal: ContentSeal }): Promise<FactStore> => inner.another(options);
  return {
    keys,
    folder: 'path' in inner ? join(inner.path, '..') : undefined,
    store: inner.store,
    another: async (given) => open({ seal: given ?? (await keys.another()) }),
    stop: async () => {
      await inner.stop();
      await rm(keyFolder, { recursive: true, force: true });
    },
  };
};
