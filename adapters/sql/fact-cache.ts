import type { StoredFact } from '../../ports/ports.ts';
import { HitShare } from './hit-share.ts';

/**
 * Caches the facts that this process has read, by tenant and id. It has two halves, and evicts entries that were not
 * used since the newer half began. Callers must check with the store that a cached fact exists, is visible and has not
 * changed.
 */
export class FactCache {
  readonly #halfBytes: number;
  #young: Generation = new Map();
  #old: Generation = new Map();
  #youngBytes = 0;
  /** The number of removals so far. */
  #drops = 0;
  readonly #shares = new Map<string, HitShare>();

  /** `maxBytes` limits the estimated memory, including data that readers attach to a fact. */
  constructor(maxBytes: number) {
    this.#halfBytes = maxBytes / 2;
  }

  get(tenantId: string, id: string): StoredFact | undefined {
    const young = this.#young.get(tenantId)?.get(id);
    if (young !== undefined) return young;
    const old = this.#old.get(tenantId)?.get(id);
    if (old !== undefined) this.#put(old);
    return old;
  }

  /**
   * Returns a view for one read, before its snapshot begins. After a removal, the view caches no further facts, because
   * its snapshot may be older.
   */
  forRead(): CacheView {
    const drops = this.#drops;
    return {
      isWorthwhile: (tenantId) => this.#shareOf(tenantId).advises(),
      get: (tenantId, id) => this.get(tenantId, id),
      count: (tenantId, found, missing) => this.#shareOf(tenantId).count(found, missing),
      put: (fact) => {
        if (drops === this.#drops) this.#put(fact);
      },
    };
  }

  /** Each tenant has its own share, so that one with many facts does not turn the cache off for the others. */
  #shareOf(tenantId: string): HitShare {
    const known = this.#shares.get(tenantId);
    if (known !== undefined) return known;
    if (this.#shares.size >= MAX_SHARES) this.#shares.clear();
    const made = new HitShare();
    this.#shares.set(tenantId, made);
    return made;
  }

  #put(fact: StoredFact): void {
    if (this.#youngBytes >= this.#halfBytes) {
      this.#old = this.#young;
      this.#young = new Map();
      this.#youngBytes = 0;
    }
    const { tenantId, id } = fact;
    const facts = this.#young.get(tenantId);
    if (facts === undefined) this.#young.set(tenantId, new Map([[id, fact]]));
    else facts.set(id, fact);
    this.#youngBytes += bytesOf(fact);
  }

  /** Removes these facts from memory. */
  drop(tenantId: string, ids: readonly string[]): void {
    this.#drops += 1;
    for (const generation of [this.#young, this.#old]) {
      const facts = generation.get(tenantId);
      if (facts !== undefined) for (const id of ids) facts.delete(id);
    }
  }

  dropTenant(tenantId: string): void {
    this.#drops += 1;
    this.#shares.delete(tenantId);
    for (const generation of [this.#young, this.#old]) generation.delete(tenantId);
  }
}

export interface CacheView {
  /** Returns whether a read of this tenant should use the cache. Counts as a read. */
  isWorthwhile(tenantId: string): boolean;
  get(tenantId: string, id: string): StoredFact | undefined;
  put(fact: StoredFact): void;
  /** Records how many facts of a read the cache had, and how many it had not. */
  count(tenantId: string, found: number, missing: number): void;
}

type Generation = Map<string, Map<string, StoredFact>>;

/** The maximum number of tenants whose hits are counted. */
const MAX_SHARES = 10_000;

/**
 * The estimated size of a cached fact without its texts: some thirty members, the map entry, and what a recall
 * attaches, such as its spelling and its signature. Measured after 26,000 reads of a store with a million facts.
 */
const OBJECT_BYTES = 4_000;

/** Estimates the memory of texts. Most take one byte per character, others two. */
const bytesOf = ({ entity, relation, value, source, derivedFrom, replaces }: StoredFact): number => {
  const said = typeof value.v === 'string' ? value.v.length : 0;
  return (
    OBJECT_BYTES +
    2 * (2 * entity.length + relation.length + 2 * said + source.length) +
    100 * (derivedFrom.length + replaces.length)
  );
};
