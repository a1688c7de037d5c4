import type { StoredFact } from '../../ports/ports.ts';

/**
 * Facts that this process has read, by tenant and id. Evicts entries unused since half of the capacity was last
 * refilled. A caller must know from the store that a cached fact is there, visible and unchanged.
 */
export class FactCache {
  readonly #halfBytes: number;
  #young: Generation = new Map();
  #old: Generation = new Map();
  #youngBytes = 0;
  /** The number of drops. */
  #drops = 0;

  /** `maxBytes` of memory, an estimate that includes what readers attach to a fact. */
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
   * A view for one read, made before its snapshot is opened. After a drop it stores no more facts, because the snapshot
   * may be older than the drop.
   */
  forRead(): CacheView {
    const drops = this.#drops;
    return {
      get: (tenantId, id) => this.get(tenantId, id),
      put: (fact) => {
        if (drops === this.#drops) this.#put(fact);
      },
    };
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
    for (const generation of [this.#young, this.#old]) generation.delete(tenantId);
  }
}

/** The cache as one read uses it. */
export interface CacheView {
  get(tenantId: string, id: string): StoredFact | undefined;
  put(fact: StoredFact): void;
}

type Generation = Map<string, Map<string, StoredFact>>;

/** An object of some thirty members, its place in the map, and the data that readers attach to it. */
const OBJECT_BYTES = 2_000;

/** Most texts take a byte a character, others two. */
const bytesOf = ({ entity, relation, value, source, derivedFrom }: StoredFact): number => {
  const said = typeof value.v === 'string' ? value.v.length : 0;
  return OBJECT_BYTES + 2 * (2 * entity.length + relation.length + 2 * said + source.length) + 100 * derivedFrom.length;
};
