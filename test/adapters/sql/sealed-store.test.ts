import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FactStore } from '../../../ports/ports.ts';
import { describeFactStore, type StoreUnderTest } from '../../contract/fact-store-contract.ts';
import { createTestSeal } from '../../kit/content-seal.ts';
import type { StoreKind } from '../../kit/for-each-store.ts';
import { createTemporaryDatabase } from '../postgres/temporary-database.ts';
import { createTemporaryStore } from '../sqlite/temporary-store.ts';

/** Creates an empty store that seals, with keys in a folder of their own. */
const createSealedStore = async (engine: StoreKind): Promise<StoreUnderTest> => {
  const folder = await mkdtemp(join(tmpdir(), 'sealed-store-'));
  const keys = await createTestSeal(folder);
  const inner = await (engine === 'sqlite'
    ? createTemporaryStore({ seal: keys.seal })
    : createTemporaryDatabase({ seal: keys.seal }));
  return {
    store: inner.store,
    another: async (): Promise<FactStore> => {
      const seal = await keys.another();
      return 'path' in inner ? inner.another({ seal }) : inner.another({ seal });
    },
    stop: async () => {
      await inner.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
};

describeFactStore('sealed SQLite', () => createSealedStore('sqlite'));
describeFactStore('sealed PostgreSQL', () => createSealedStore('postgres'));
