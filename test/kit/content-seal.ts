import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { replaceKeyFile, spellKeys } from '../../adapters/sealed/content-key-file.ts';
import { freshKeys } from '../../adapters/sealed/content-keys.ts';
import { openContentSeal } from '../../adapters/sealed/content-seal.ts';
import type { ContentSeal, KeySource } from '../../ports/ports.ts';

/** Keys of an operator that are only in memory. */
export const memoryKeySource = (key: Uint8Array = randomBytes(32)): KeySource => ({
  readKeys: async () => [key],
});

export interface TestSeal {
  readonly path: string;
  readonly seal: ContentSeal;
  /** Opens another seal on the same file, as another process would. */
  another(): Promise<ContentSeal>;
}

/** Creates a file of keys in the folder, and opens it. */
export const createTestSeal = async (folder: string): Promise<TestSeal> => {
  const source = memoryKeySource();
  const path = join(folder, 'content-keys.json');
  await replaceKeyFile(path, await spellKeys(freshKeys(), source));
  const open = (): Promise<ContentSeal> => openContentSeal({ path, source });
  return { path, seal: await open(), another: open };
};
