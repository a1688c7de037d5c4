/** The levels below a path of which nodes are kept, as digits of a label. They are at most those of two bytes. */
const LEVELS = 6;
/** Twice the nodes of one path. A power of two, so that a mask gives the place of a node. */
const PLACES = 2 * 4 ** LEVELS;
const NO_PREFIX = -1;

/**
 * Nodes of a tree some levels below the paths of tenants, below which very many labels lie. A new key needs only the
 * levels below one of these. Nodes share places: a new node replaces the one in its place.
 */
export class UpperNodes {
  static readonly levels = LEVELS;

  readonly #nodeBytes: number;
  /** The arrays of kept nodes. They are made at the first use, because a fresh process needs them for few trees. */
  #places: Places | undefined;

  constructor(nodeBytes: number) {
    this.#nodeBytes = nodeBytes;
  }

  /** Writes the node above a label to the beginning of `target`. Returns false where it is not kept. */
  read(above: string, label: Uint8Array, target: Uint8Array): boolean {
    if (this.#places === undefined) return false;
    const { paths, prefixes, nodes } = this.#places;
    const prefix = prefixOf(label);
    const place = placeOf(above, prefix);
    if (prefixes[place] !== prefix || paths[place] !== above) return false;
    const from = place * this.#nodeBytes;
    for (let at = 0; at < this.#nodeBytes; at += 1) target[at] = nodes[from + at] as number;
    return true;
  }

  /** Keeps the first bytes of `node` as the node above a label. */
  keep(above: string, label: Uint8Array, node: Uint8Array): void {
    this.#places ??= {
      paths: new Array<string>(PLACES).fill(''),
      prefixes: new Int16Array(PLACES).fill(NO_PREFIX),
      nodes: new Uint8Array(PLACES * this.#nodeBytes),
    };
    const { paths, prefixes, nodes } = this.#places;
    const prefix = prefixOf(label);
    const place = placeOf(above, prefix);
    paths[place] = above;
    prefixes[place] = prefix;
    const from = place * this.#nodeBytes;
    for (let at = 0; at < this.#nodeBytes; at += 1) nodes[from + at] = node[at] as number;
  }

  clear(): void {
    this.#places?.nodes.fill(0);
    this.#places = undefined;
  }
}

interface Places {
  readonly paths: string[];
  readonly prefixes: Int16Array;
  readonly nodes: Uint8Array;
}

/** Returns the first digits of a label as one number. */
const prefixOf = (label: Uint8Array): number =>
  (((label[0] as number) << 8) | (label[1] as number)) >> (16 - 2 * LEVELS);

/** Keeps the nodes of one path apart, and spreads those of several paths by their last digits. */
const placeOf = (above: string, prefix: number): number => {
  let spread = 0;
  for (let at = Math.max(0, above.length - 8); at < above.length; at += 1) spread = spread * 4 + above.charCodeAt(at);
  return (prefix ^ spread) & (PLACES - 1);
};
