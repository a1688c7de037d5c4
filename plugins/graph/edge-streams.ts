import type { PluginSnapshot } from '../../kernel/plugin-api.ts';
import { compareEdgePositions, type EdgePosition } from './edge-order.ts';
import type { EdgeQuery, EdgeRow } from './edge-pages.ts';
import type { EdgeStore } from './edge-store.ts';

/** The maximum number of entities per query. */
export const KEYS_PER_QUERY = 2_000;
/** The number of edges that a walk checks together. */
export const EDGES_PER_STEP = 256;
/** Reads one more row, to learn whether others follow. */
const ROWS_PER_QUERY = EDGES_PER_STEP + 1;

/** An edge, and the end from which the walk found it. */
export interface FoundEdge {
  readonly row: EdgeRow;
  readonly end: EdgeQuery['end'];
}

/** Merges the edges of several entities, from both ends, into one order. Reads only as many as its caller requests. */
export class EdgeStreams {
  readonly #streams: readonly EdgeStream[];

  constructor(
    edges: EdgeStore,
    snapshot: PluginSnapshot,
    wanted: Omit<EdgeQuery, 'end' | 'keys'>,
    keys: readonly string[],
    after: EdgePosition | undefined,
  ) {
    const streams: EdgeStream[] = [];
    for (let from = 0; from < keys.length; from += KEYS_PER_QUERY) {
      for (const end of ['subject', 'object'] as const) {
        const query: EdgeQuery = { ...wanted, end, keys: keys.slice(from, from + KEYS_PER_QUERY) };
        streams.push(new EdgeStream(edges, snapshot, query, after));
      }
    }
    this.#streams = streams;
  }

  /** Returns the next edges, at most this many; none at the end. */
  async next(most: number): Promise<FoundEdge[]> {
    const found: FoundEdge[] = [];
    while (found.length < most) {
      const first = await this.#first();
      const row = first?.take();
      if (first === undefined || row === undefined) break;
      found.push({ row, end: first.end });
    }
    return found;
  }

  /** True once it has returned the last edge. */
  async isOver(): Promise<boolean> {
    return (await this.#first()) === undefined;
  }

  async #first(): Promise<EdgeStream | undefined> {
    let first: EdgeStream | undefined;
    for (const stream of this.#streams) {
      await stream.fill();
      if (stream.head === undefined) continue;
      if (first?.head === undefined || compareEdgePositions(stream.head, first.head) < 0) first = stream;
    }
    return first;
  }
}

class EdgeStream {
  readonly end: EdgeQuery['end'];
  readonly #read: (after: EdgePosition | undefined) => Promise<EdgeRow[]>;
  #rows: readonly EdgeRow[] = [];
  #at = 0;
  #last: EdgePosition | undefined;
  #isOver = false;

  constructor(edges: EdgeStore, snapshot: PluginSnapshot, query: EdgeQuery, after: EdgePosition | undefined) {
    this.end = query.end;
    this.#read = (position) => edges.page(query, position, ROWS_PER_QUERY, snapshot);
    this.#last = after;
  }

  get head(): EdgeRow | undefined {
    return this.#rows[this.#at];
  }

  take(): EdgeRow | undefined {
    const row = this.#rows[this.#at];
    this.#at += 1;
    return row;
  }

  async fill(): Promise<void> {
    if (this.#isOver || this.#at < this.#rows.length) return;
    this.#rows = await this.#read(this.#last);
    this.#at = 0;
    this.#last = this.#rows.at(-1) ?? this.#last;
    this.#isOver = this.#rows.length < ROWS_PER_QUERY;
  }
}
