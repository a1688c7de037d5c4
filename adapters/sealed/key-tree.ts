import { sha256Into } from './sha256.ts';

/** The number of children of a node, which are named by the digits 0 to 3. */
const ARITY = 4;
const SEED_BYTES = 32;
const DIGITS: readonly string[] = ['0', '1', '2', '3'];
/** Levels below a tenant of which nodes are kept: 4,096 of them take half a megabyte. */
const UPPER_LEVELS = 6;
const MOST_UPPER = 2 * ARITY ** UPPER_LEVELS;
const MOST_TENANTS = 1_000;

/** The place of a key in the tree: digits from 0 to 3, from the root on. */
export type KeyPath = string;

/** A node from which all keys below it are derived. */
export type SeedNode = readonly [path: KeyPath, seed: Uint8Array];

interface Shortcuts {
  /** The length of the paths of these nodes. */
  readonly length: number;
  readonly most: number;
  readonly nodes: Map<KeyPath, Buffer>;
}

/**
 * A tree of keys, each derived from its parent, of which single keys can be destroyed for good. It holds the seeds of
 * the highest nodes that are intact. Destroying a key replaces the node above it by the nodes beside its path, and no
 * other node gives the key. After O. Goldreich, S. Goldwasser and S. Micali, "How to construct random functions", 1986,
 * punctured as in "Forward secure asynchronous messaging from puncturable encryption", 2015.
 */
export class KeyTree {
  readonly #seeds: Map<KeyPath, Buffer>;
  /** Derived nodes below which many keys are asked for, by the length of their paths, the longest first. */
  readonly #shortcuts: readonly Shortcuts[];
  readonly #lastLength: number;
  /** The last node of this length, because the keys below one are asked for one after another. */
  #last: { readonly path: KeyPath; readonly node: Buffer } | undefined;

  /** `shortcutLength` is the length of the paths below which all keys of a tenant lie. */
  constructor(nodes: Iterable<SeedNode>, shortcutLength: number) {
    this.#seeds = new Map();
    for (const [path, seed] of nodes) {
      if (seed.length !== SEED_BYTES) throw new RangeError('a seed has 32 bytes');
      this.#seeds.set(path, Buffer.from(seed));
    }
    this.#lastLength = 2 * shortcutLength;
    this.#shortcuts = [
      // A new key of a tenant needs only the levels below one of these.
      { length: shortcutLength + UPPER_LEVELS, most: MOST_UPPER, nodes: new Map() },
      { length: shortcutLength, most: MOST_TENANTS, nodes: new Map() },
    ];
  }

  /** Returns the key at a path; undefined for a destroyed one. */
  keyAt(path: KeyPath): Buffer | undefined {
    const start = this.#nearestAbove(path);
    if (start === undefined) return undefined;
    const [from, seed] = start;
    NODE.set(seed);
    for (let at = from; at < path.length; at += 1) {
      descend(path, at);
      if (at + 1 < path.length) this.#keep(path, at + 1);
    }
    const key = Buffer.from(NODE.subarray(0, SEED_BYTES));
    NODE.fill(0);
    return key;
  }

  /** Returns the lowest known node at or above a path, and the length of its own path. */
  #nearestAbove(path: KeyPath): readonly [length: number, node: Buffer] | undefined {
    const last = this.#last;
    if (last !== undefined && path.length > this.#lastLength && path.startsWith(last.path)) {
      return [this.#lastLength, last.node];
    }
    for (const { length, nodes } of this.#shortcuts) {
      const node = path.length > length ? nodes.get(path.slice(0, length)) : undefined;
      if (node !== undefined) return [length, node];
    }
    const held = this.#heldAbove(path);
    return held === undefined ? undefined : [held.length, this.#seeds.get(held) as Buffer];
  }

  /** Keeps the node at hand if it is a shortcut. No destroyed key lies below it, because it was derived. */
  #keep(path: KeyPath, reached: number): void {
    if (reached === this.#lastLength) {
      this.#last = { path: path.slice(0, reached), node: Buffer.from(NODE.subarray(0, SEED_BYTES)) };
    }
    for (const { length, most, nodes } of this.#shortcuts) {
      if (length !== reached) continue;
      if (nodes.size >= most) nodes.clear();
      nodes.set(path.slice(0, length), Buffer.from(NODE.subarray(0, SEED_BYTES)));
      return;
    }
  }

  /** Destroys the key at a path and all below it. Returns false when all of them are gone already. */
  destroy(path: KeyPath): boolean {
    this.#last = undefined;
    for (const { nodes } of this.#shortcuts) nodes.clear();
    const held = this.#heldAbove(path);
    if (held === undefined) return this.#destroyBelow(path);
    let node = this.#seeds.get(held) as Buffer;
    this.#seeds.delete(held);
    for (let length = held.length; length < path.length; length++) {
      const next = path.charAt(length);
      for (const digit of DIGITS) {
        if (digit !== next) this.#seeds.set(path.slice(0, length) + digit, childOf(node, digit));
      }
      const child = childOf(node, next);
      node.fill(0);
      node = child;
    }
    node.fill(0);
    return true;
  }

  /** Returns whether some key at or below a path is left. */
  hasAnyBelow(path: KeyPath): boolean {
    if (this.#heldAbove(path) !== undefined) return true;
    for (const held of this.#seeds.keys()) if (held.startsWith(path)) return true;
    return false;
  }

  /** Returns the nodes that are left, in no order. */
  nodes(): readonly SeedNode[] {
    return [...this.#seeds];
  }

  /** Returns the path of the held node at or above this one. */
  #heldAbove(path: KeyPath): KeyPath | undefined {
    for (let length = 0; length <= path.length; length++) {
      const above = path.slice(0, length);
      if (this.#seeds.has(above)) return above;
    }
    return undefined;
  }

  #destroyBelow(path: KeyPath): boolean {
    const below = [...this.#seeds].filter(([held]) => held.startsWith(path));
    for (const [held, seed] of below) {
      seed.fill(0);
      this.#seeds.delete(held);
    }
    return below.length > 0;
  }
}

/** The four digits of each byte. */
const DIGITS_OF_BYTE: readonly string[] = Array.from({ length: 256 }, (_, byte) =>
  byte.toString(ARITY).padStart(4, '0'),
);

/** Returns the path of a digest: each byte gives four digits. */
export const pathOf = (digest: Uint8Array): KeyPath => {
  let path = '';
  for (const byte of digest) path += DIGITS_OF_BYTE[byte];
  return path;
};

/**
 * The seed of a node and the digit of a child, of which the hash is a pseudorandom function for a secret seed. A key is
 * derived in this place, because thirty levels of objects cost more than their hashes.
 */
const NODE = Buffer.alloc(SEED_BYTES + 1);
const DIGIT_0 = '0'.charCodeAt(0);

/** Replaces the node at hand by its child, which the digit at a place of a path names. */
const descend = (path: KeyPath, at: number): void => {
  NODE[SEED_BYTES] = path.charCodeAt(at) - DIGIT_0;
  sha256Into(NODE, NODE);
};

const childOf = (seed: Buffer, digit: string): Buffer => {
  NODE.set(seed);
  descend(digit, 0);
  const child = Buffer.from(NODE.subarray(0, SEED_BYTES));
  NODE.fill(0);
  return child;
};
