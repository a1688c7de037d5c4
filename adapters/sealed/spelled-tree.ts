import type { KeyPath, SeedNode } from './key-tree.ts';

const SEED_BYTES = 32;
const GONE = Buffer.from([0]);
const HELD = Buffer.from([1]);
const PARTED = Buffer.from([2]);
const DIGITS = ['0', '1', '2', '3'] as const;

/**
 * Spells the nodes of a tree from the root on: a destroyed part, a held seed, or the four children of a node. So paths
 * take no bytes, and an erasure adds some 2 KiB.
 */
export const spellTree = (nodes: readonly SeedNode[]): Buffer => {
  const sorted = [...nodes].sort(([one], [other]) => (one < other ? -1 : 1));
  const parts: Uint8Array[] = [];
  let at = 0;
  const spell = (path: KeyPath): void => {
    const next = sorted[at];
    if (next === undefined || !next[0].startsWith(path)) {
      parts.push(GONE);
    } else if (next[0] === path) {
      parts.push(HELD, next[1]);
      at += 1;
    } else {
      parts.push(PARTED);
      for (const digit of DIGITS) spell(path + digit);
    }
  };
  spell('');
  return Buffer.concat(parts);
};

/** Reads what `spellTree` returned, which a seal has proved genuine. */
export const readTree = (spelled: Uint8Array): readonly SeedNode[] => {
  const nodes: SeedNode[] = [];
  let at = 0;
  const read = (path: KeyPath): void => {
    const mark = spelled[at];
    at += 1;
    if (mark === HELD[0]) {
      nodes.push([path, spelled.subarray(at, at + SEED_BYTES)]);
      at += SEED_BYTES;
    } else if (mark === PARTED[0]) {
      for (const digit of DIGITS) read(path + digit);
    }
  };
  read('');
  return nodes;
};
