import { randomBytes, randomUUID } from 'node:crypto';
import { type SealedSubject, ServiceError } from '../../ports/ports.ts';
import { KeyTree, pathOf, type SeedNode } from './key-tree.ts';
import { hmacSha256 } from './sha256.ts';

/**
 * The bytes of a label's digest in a path. Of 10^9 subjects one shares its path with a given one once in 10^5 cases.
 * The digest has a secret key, so nobody can choose a name that does.
 */
export const LABEL_BYTES = 6;
const LABEL_KEY_BYTES = 32;
const ROOT_SEED_BYTES = 32;
/** The highest generation. The header of a sealed value has one byte for it. */
export const LAST_GENERATION = 255;
const LAST_ROOT = 0xffff;
const FIRST_PERIOD = 1;

/** The uses of the keys of a subject, in the order of their paths. */
const PURPOSES = ['value', 'digest'] as const;
export type Purpose = (typeof PURPOSES)[number];

/** One tree of keys. A rotation draws another one. */
export interface KeyRoot {
  /** From 1 on. Sealed content names it. */
  readonly id: number;
  readonly tree: KeyTree;
}

/** All keys of the contents of one store. */
export interface ContentKeys {
  /** Identifies the store to which the keys belong. */
  readonly id: string;
  readonly version: number;
  /** The number of the present period, which is the same for all roots. */
  readonly period: number;
  /** The key of the digests of labels. */
  readonly labelKey: Uint8Array;
  /** At least one, the present one last. */
  readonly roots: readonly KeyRoot[];
}

export const freshKeys = (): ContentKeys => ({
  id: randomUUID(),
  version: 1,
  period: FIRST_PERIOD,
  labelKey: randomBytes(LABEL_KEY_BYTES),
  roots: [freshRoot(1)],
});

/** Adds a root, with which all further content is sealed. The former ones open what they have sealed. */
export const withFreshRoot = (keys: ContentKeys): ContentKeys => {
  const id = presentRoot(keys).id + 1;
  if (id > LAST_ROOT)
    throw new ServiceError('unavailable', 'the content keys were rotated too often to be rotated again');
  return { ...keys, version: keys.version + 1, roots: [...keys.roots, freshRoot(id)] };
};

/** Drops all roots but the present one, so that nothing which they have sealed opens any more. */
export const withPresentRootOnly = (keys: ContentKeys): ContentKeys => ({
  ...keys,
  version: keys.version + 1,
  roots: [presentRoot(keys)],
});

export const presentRoot = ({ roots }: ContentKeys): KeyRoot => roots.at(-1) as KeyRoot;

export const rootFrom = (id: number, nodes: Iterable<SeedNode>): KeyRoot => ({
  id,
  tree: new KeyTree(nodes),
});

/** Returns the path of everything of a tenant. */
export const tenantPath = ({ labelKey }: ContentKeys, tenantId: string): string =>
  pathOfLabel(labelKey, ['tenant', tenantId]);

/** Returns the path of a file of the node, which belongs to no tenant. */
export const filePath = ({ labelKey }: ContentKeys, name: string): string =>
  pathOfLabel(labelKey, ['node']) + pathOfLabel(labelKey, ['file', name]);

/** Returns the path of a key of a tenant that no erasure destroys. */
export const purposePath = (keys: ContentKeys, tenantId: string, purpose: string): string =>
  tenantPath(keys, tenantId) + pathOfLabel(keys.labelKey, ['purpose', purpose]);

/** Returns the bytes that stand for an entity and a scope in paths, behind their tenant. They reveal neither. */
export const subjectLabel = (
  { labelKey }: ContentKeys,
  { entityKey, scope }: Omit<SealedSubject, 'tenantId'>,
): Uint8Array => digestOfLabel(labelKey, ['subject', entityKey, scope]);

/**
 * Returns the path of one generation of a key below the label of its subject. Each digit 3 skips three keys. So the
 * first three keys are one level below the label, and most subjects have no others.
 */
export const generationPath = (purpose: Purpose, generation: number): string => {
  const before = PURPOSES.length * generation + PURPOSES.indexOf(purpose);
  return `${'3'.repeat(before / 3)}${before % 3}`;
};

const freshRoot = (id: number): KeyRoot => rootFrom(id, [['', randomBytes(ROOT_SEED_BYTES)]]);

/** Returns the path that stands for a label. It reveals nothing of it. */
export const pathOfLabel = (labelKey: Uint8Array, label: readonly string[]): string =>
  pathOf(digestOfLabel(labelKey, label));

const digestOfLabel = (labelKey: Uint8Array, label: readonly string[]): Uint8Array =>
  hmacSha256(labelKey, JSON.stringify(label)).subarray(0, LABEL_BYTES);
