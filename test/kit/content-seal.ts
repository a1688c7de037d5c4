import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { openKeys, readKeyFile, replaceKeyFile, spellKeys } from '../../adapters/sealed/content-key-file.ts';
import { freshKeys } from '../../adapters/sealed/content-keys.ts';
import { type ContentSealParts, sealWith } from '../../adapters/sealed/content-seal.ts';
import type { ContentSeal, KeySource } from '../../ports/ports.ts';

/** Keys of an operator that are only in memory. */
export const memoryKeySource = (key: Uint8Array = randomBytes(32)): KeySource => ({
  readKeys: async () => [key],
});

/** Opens the seal with the keys of a file, as a node does. */
export const openContentSeal = async (parts: ContentSealParts): Promise<ContentSeal> =>
  sealWith(await openKeys((await readKeyFile(parts.path)) ?? '', parts.source, parts.path), parts);

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
