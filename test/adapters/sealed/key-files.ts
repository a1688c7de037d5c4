import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { replaceKeyFile, spellKeys } from '../../../adapters/sealed/content-key-file.ts';
import { freshKeys } from '../../../adapters/sealed/content-keys.ts';
import type { KeySource, SealedSubject } from '../../../ports/ports.ts';
import { openContentSeal } from '../../kit/content-seal.ts';

export const ALICE: SealedSubject = { tenantId: 'default', entityKey: 'user:alice', scope: 'local' };
export const BOB: SealedSubject = { ...ALICE, entityKey: 'user:bob' };
export const PLACE = { tenantId: 'default', table: 'jobs_queue', column: 'result', row: '7' };

export const sourceOf = (...keys: readonly Uint8Array[]): KeySource => ({ readKeys: async () => keys });

const folders: string[] = [];

afterEach(async () => {
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true, force: true });
});

/** A new file of keys, and what opens it. */
export const newFile = async (source = sourceOf(randomBytes(32))) => {
  const folder = await mkdtemp(join(tmpdir(), 'content-keys-'));
  folders.push(folder);
  const path = join(folder, 'content-keys.json');
  await replaceKeyFile(path, await spellKeys(freshKeys(), source));
  return { path, source, open: () => openContentSeal({ path, source }) };
};

export const unopened = (work: () => unknown): void => {
  expect(work).to.throw(/does not open with the keys of this store/);
};

/** Returns a value to seal, with any commitment. */
export const sealable = (text: string) => ({ text, commitment: new Uint8Array(32).fill(5) });
