import { sha256Into } from './sha256.ts';
import { UpperNodes } from './upper-nodes.ts';

/** The number of children of a node, which are named by the digits 0 to 3. */
const ARITY = 4;
const SEED_BYTES = 32;
const DIGITS: readonly string[] = ['0', '1', '2', '3'];
/** The digits of each byte of a label. */
const DIGITS_PER_BYTE = 4;

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
  readonly #upper = new UpperNodes(SEED_BYTES);
  /** The node of the last label, because the keys below one are asked for one after another. */
  #last: { readonly above: KeyPath; readonly label: Uint8Array; readonly node: Buffer } | undefined;

  constructor(nodes: Iterable<SeedNode>) {
    this.#seeds = new Map();
    for (const [path, seed] of nodes) {
      if (seed.length !== SEED_BYTES) throw new RangeError('a seed has 32 bytes');
      this.#seeds.set(path, Buffer.from(seed));
    }
  }

  /** Returns the key at a path; undefined for a destroyed one. */
  keyAt(path: KeyPath): Buffer | undefined {
    return this.#descendTo(path) ? takeNode() : undefined;
  }

  /**
   * Returns the same as `keyAt` of three paths one after another, where `label` stands for `pathOf` of it. For the keys
   * of very many labels below the same few paths.
   */
  keyBelow(above: KeyPath, label: Uint8Array, below: KeyPath): Buffer | undefined {
    if (!this.#descendToLabel(above, label)) return this.keyAt(above + pathOf(label) + below);
    for (let at = 0; at < below.length; at += 1) descend(digitAt(below, at));
    return takeNode();
  }

  /** Makes the node at a path the one at hand. Returns false for a destroyed one. */
  #descendTo(path: KeyPath): boolean {
    const held = this.#heldAbove(path);
    if (held === undefined) return false;
    NODE.set(this.#seeds.get(held) as Buffer);
    for (let at = held.length; at < path.length; at += 1) descend(digitAt(path, at));
    return true;
  }

  /** Makes the node of a label the one at hand. Returns false if a key below its upper node was destroyed. */
  #descendToLabel(above: KeyPath, label: Uint8Array): boolean {
    const last = this.#last;
    if (last !== undefined && last.above === above && isSame(last.label, label)) {
      NODE.set(last.node);
      return true;
    }
    const { levels } = UpperNodes;
    // No destroyed key lies below a node that was derived.
    if (!this.#upper.read(above, label, NODE)) {
      if (!this.#descendTo(above + pathOf(label).slice(0, levels))) return false;
      this.#upper.keep(above, label, NODE);
    }
    for (let at = levels; at < label.length * DIGITS_PER_BYTE; at += 1) descend(digitOf(label, at));
    this.#last = { above, label: Uint8Array.from(label), node: copyOfNode() };
    return true;
  }

  /** Destroys the key at a path and all below it. Returns false when all of them are gone already. */
  destroy(path: KeyPath): boolean {
    this.#last?.node.fill(0);
    this.#last = undefined;
    this.#upper.clear();
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
  byte.toString(ARITY).padStart(DIGITS_PER_BYTE, '0'),
);

/** Returns the path of a digest: each byte gives four digits. */
export const pathOf = (digest: Uint8Array): KeyPath => {
  let path = '';
  for (const byte of digest) path += DIGITS_OF_BYTE[byte];
  return path;
};

/**
 * The seed of a node, then the digit of a child. The hash of both is the seed of that child, which nobody can guess
 * without the seed of the node. All derivations use this one buffer, because new objects for thirty levels cost more
 * than the hashes.
 */
const NODE = Buffer.alloc(SEED_BYTES + 1);
const DIGIT_0 = '0'.charCodeAt(0);

/** Replaces the node at hand by one of its children. */
const descend = (digit: number): void => {
  NODE[SEED_BYTES] = digit;
  sha256Into(NODE, NODE);
};

const digitAt = (path: KeyPath, at: number): number => path.charCodeAt(at) - DIGIT_0;

/** Returns a digit of the path of a label. */
const digitOf = (label: Uint8Array, at: number): number => ((label[at >> 2] as number) >> (6 - 2 * (at & 3))) & 3;

const copyOfNode = (): Buffer => {
  const copy = Buffer.allocUnsafe(SEED_BYTES);
  for (let at = 0; at < SEED_BYTES; at += 1) copy[at] = NODE[at] as number;
  return copy;
};

/** Returns the node at hand, and forgets it. */
const takeNode = (): Buffer => {
  const node = copyOfNode();
  NODE.fill(0);
  return node;
};

const childOf = (seed: Buffer, digit: string): Buffer => {
  NODE.set(seed);
  descend(digitAt(digit, 0));
  return takeNode();
};

const isSame = (one: Uint8Array, other: Uint8Array): boolean => {
  if (one.length !== other.length) return false;
  for (let at = 0; at < one.length; at += 1) if (one[at] !== other[at]) return false;
  return true;
};
