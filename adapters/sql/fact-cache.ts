import type { StoredFact } from '../../ports/ports.ts';

/**
 * Facts that this process has read, by tenant and id. Bounded: what was not asked for since half of the room was filled
 * anew leaves. Who takes a fact from here must know from the store that it is there, visible, and still says the same.
 */
export class FactCache {
  readonly #halfBytes: number;
  #young: Generation = new Map();
  #old: Generation = new Map();
  #youngBytes = 0;
  /** How often something was dropped. */
  #drops = 0;

  /** `maxBytes` of memory, some of which is what the facts are likely to bring along. */
  constructor(maxBytes: number) {
    this.#halfBytes = maxBytes / 2;
  }

  get(tenantId: string, id: string): StoredFact | undefined {
    const young = this.#young.get(tenantId)?.get(id);
    if (young !== undefined) return young;
    const old = this.#old.get(tenantId)?.get(id);
    if (old !== undefined) this.#keep(old);
    return old;
  }

  /**
   * For one read, and made before its snapshot is opened. Once something was dropped it takes nothing in any more: the
   * snapshot may be from before that.
   */
  forRead(): KeptFacts {
    const drops = this.#drops;
    return {
      get: (tenantId, id) => this.get(tenantId, id),
      put: (fact) => {
        if (drops === this.#drops) this.#keep(fact);
      },
    };
  }

  #keep(fact: StoredFact): void {
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

  /** Nothing of these facts is left in memory. */
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

/** What one read takes from the cache and puts there. */
export interface KeptFacts {
  get(tenantId: string, id: string): StoredFact | undefined;
  put(fact: StoredFact): void;
}

type Generation = Map<string, Map<string, StoredFact>>;

/** An object of some thirty members, its place in the map, and what readers make of it and keep beside it. */
const OBJECT_BYTES = 2_000;

/** Most texts take a byte a character, others two. */
const bytesOf = ({ entity, relation, value, source, derivedFrom }: StoredFact): number => {
  const said = typeof value.v === 'string' ? value.v.length : 0;
  return OBJECT_BYTES + 2 * (2 * entity.length + relation.length + 2 * said + source.length) + 100 * derivedFrom.length;
};
