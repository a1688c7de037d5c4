import { sha256 } from './sha256.ts';

/** The number of children of a node, which are named by the digits 0 to 3. */
const ARITY = 4;
const SEED_BYTES = 32;
const DIGITS: readonly string[] = ['0', '1', '2', '3'];
const MOST_SHORTCUTS = 1_000;

/** The place of a key in the tree: digits from 0 to 3, from the root on. */
export type KeyPath = string;

/** A node from which all keys below it are derived. */
export type SeedNode = readonly [path: KeyPath, seed: Uint8Array];

/**
 * A tree of keys, each derived from its parent, of which single keys can be destroyed for good. It holds the seeds of
 * the highest nodes that are intact. Destroying a key replaces the node above it by the nodes beside its path, and no
 * other node gives the key. After O. Goldreich, S. Goldwasser and S. Micali, "How to construct random functions", 1986,
 * punctured as in "Forward secure asynchronous messaging from puncturable encryption", 2015.
 */
export class KeyTree {
  readonly #seeds: Map<KeyPath, Buffer>;
  /** The path length at which derived nodes are cached, because many keys lie below one of them. */
  readonly #shortcutLength: number;
  #shortcuts = new Map<KeyPath, Buffer>();
  /** The last node of twice that length, because the keys below one are asked for one after another. */
  #last: { readonly path: KeyPath; readonly node: Buffer } | undefined;

  constructor(nodes: Iterable<SeedNode>, shortcutLength: number) {
    this.#seeds = new Map();
    for (const [path, seed] of nodes) {
      if (seed.length !== SEED_BYTES) throw new RangeError('a seed has 32 bytes');
      this.#seeds.set(path, Buffer.from(seed));
    }
    this.#shortcutLength = shortcutLength;
  }

  /** Returns the key at a path; undefined for a destroyed one. */
  keyAt(path: KeyPath): Buffer | undefined {
    const length = 2 * this.#shortcutLength;
    if (path.length <= length) return this.#nodeAt(path);
    const above = path.slice(0, length);
    const node = this.#last?.path === above ? this.#last.node : this.#nodeAt(above);
    if (node === undefined) return this.#derive(path);
    this.#last = { path: above, node };
    return descend(node, path.slice(length));
  }

  #nodeAt(path: KeyPath): Buffer | undefined {
    if (path.length <= this.#shortcutLength) return this.#derive(path);
    const shortcut = path.slice(0, this.#shortcutLength);
    const known = this.#shortcuts.get(shortcut) ?? this.#derive(shortcut);
    // A node with a destroyed key below it is gone, and those beside the key are held by themselves.
    if (known === undefined) return this.#derive(path);
    if (this.#shortcuts.size >= MOST_SHORTCUTS) this.#shortcuts.clear();
    this.#shortcuts.set(shortcut, known);
    return descend(known, path.slice(this.#shortcutLength));
  }

  /** Destroys the key at a path and all below it. Returns false when all of them are gone already. */
  destroy(path: KeyPath): boolean {
    this.#shortcuts = new Map();
    this.#last = undefined;
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

  #derive(path: KeyPath): Buffer | undefined {
    const held = this.#heldAbove(path);
    if (held === undefined) return undefined;
    return descend(this.#seeds.get(held) as Buffer, path.slice(held.length));
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

/** Returns the path of a digest: each byte gives four digits. */
export const pathOf = (digest: Uint8Array): KeyPath => {
  let path = '';
  for (const byte of digest) path += byte.toString(ARITY).padStart(4, '0');
  return path;
};

const descend = (seed: Buffer, digits: KeyPath): Buffer => {
  let node = seed;
  for (const digit of digits) node = childOf(node, digit);
  return node;
};

/** The seed of a parent and the digit of a child, of which the hash is a pseudorandom function for a secret seed. */
const PARENT_AND_DIGIT = Buffer.alloc(SEED_BYTES + 1);

const childOf = (seed: Buffer, digit: string): Buffer => {
  seed.copy(PARENT_AND_DIGIT);
  PARENT_AND_DIGIT.writeUInt8(Number(digit), SEED_BYTES);
  return sha256(PARENT_AND_DIGIT);
};
