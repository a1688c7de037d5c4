import { readUuid, uuidText } from '../words/uuid-words.ts';
import type { PagedRows } from './paged-rows.ts';
import { SlotTable } from './slot-table.ts';
import { mix32 } from './text-hash.ts';

/**
 * Finds rows by tenant and identifier, because two tenants may use the same identifier. A UUID takes 16 bytes of its
 * row. Other identifiers are kept in a map.
 */
export class IdTable {
  readonly #rows: PagedRows;
  readonly #offset: number;
  readonly #seed: number;
  readonly #tenantOf: (row: number) => number;
  readonly #table = new SlotTable();
  readonly #others = new Map<string, number>();
  readonly #otherOf = new Map<number, string>();
  readonly #sought = new Uint32Array(4);
  #soughtTenant = 0;
  readonly #isSought = (row: number): boolean => {
    const words = this.#rows.wordsOf(row);
    const at = this.#rows.wordAt(row) + this.#offset;
    const sought = this.#sought;
    for (let word = 0; word < 4; word += 1) if (words[at + word] !== sought[word]) return false;
    return this.#tenantOf(row) === this.#soughtTenant;
  };

  /**
   * `offset` is the index of the identifier's four words in a row. `tenantOf` returns the tenant number of a row. Peers
   * choose identifiers, so the hash needs a seed.
   */
  constructor(rows: PagedRows, offset: number, seed: number, tenantOf: (row: number) => number) {
    this.#rows = rows;
    this.#offset = offset;
    this.#seed = seed;
    this.#tenantOf = tenantOf;
  }

  /** Returns the row of the tenant's identifier, or -1. */
  find(tenant: number, id: string): number {
    if (!readUuid(id, this.#sought)) return this.#others.get(otherKey(tenant, id)) ?? -1;
    this.#soughtTenant = tenant;
    return this.#table.find(this.#hashOf(this.#sought, tenant), this.#isSought);
  }

  /** Writes a new identifier to its row, which has its tenant already. */
  add(id: string, row: number): void {
    const tenant = this.#tenantOf(row);
    if (!readUuid(id, this.#sought)) {
      this.#others.set(otherKey(tenant, id), row);
      this.#otherOf.set(row, id);
      return;
    }
    this.#rows.wordsOf(row).set(this.#sought, this.#rows.wordAt(row) + this.#offset);
    this.#table.add(this.#hashOf(this.#sought, tenant), row);
  }

  idOf(row: number): string {
    const other = this.#otherOf.size > 0 ? this.#otherOf.get(row) : undefined;
    return other ?? uuidText(this.#rows.wordsOf(row), this.#rows.wordAt(row) + this.#offset);
  }

  /** Returns the identifiers that are not UUIDs, of the rows from `from` up to `to`. */
  others(from: number, to: number): [id: string, row: number][] {
    return [...this.#otherOf].flatMap(([row, id]) => (row >= from && row < to ? [[id, row]] : []));
  }

  /** Rebuilds the hash table of restored rows, given the identifiers that are not UUIDs. */
  restore(others: readonly (readonly [id: string, row: number])[]): void {
    this.#table.reserve(this.#rows.count);
    for (const [id, row] of others) this.add(id, row);
    for (let row = 0; row < this.#rows.count; row += 1) {
      if (this.#otherOf.size > 0 && this.#otherOf.has(row)) continue;
      const at = this.#rows.wordAt(row) + this.#offset;
      this.#table.add(this.#hashOf(this.#rows.wordsOf(row), this.#tenantOf(row), at), row);
    }
  }

  #hashOf(words: Uint32Array, tenant: number, at = 0): number {
    const [first, second] = [words[at] as number, words[at + 1] as number];
    const [third, fourth] = [words[at + 2] as number, words[at + 3] as number];
    const rest = mix32(third ^ mix32(fourth ^ Math.imul(tenant, 0x85ebca6b) ^ this.#seed));
    return mix32(first ^ Math.imul(second ^ this.#seed, 0x9e3779b1) ^ rest) >>> 0;
  }
}

const otherKey = (tenant: number, id: string): string => `${tenant} ${id}`;
