import type { AppendedBatch, PluginSnapshot } from '../../kernel/plugin-api.ts';

/**
 * Tracks, in an open transaction, facts that are the only live facts of their triple in any garden. They contradict no
 * other fact, so neither storing nor returning them needs a look-up.
 */
export class LoneFacts {
  readonly #triples = new WeakMap<PluginSnapshot, TransactionTriples>();

  note(batch: AppendedBatch): void {
    let triples = this.#triples.get(batch.transaction);
    if (triples === undefined) {
      triples = { first: new Map(), alone: new Set() };
      this.#triples.set(batch.transaction, triples);
    }
    const { first, alone } = triples;
    for (const appended of batch.facts) {
      const { fact, tripleId } = appended;
      if (fact.system) continue;
      const earlier = first.get(tripleId);
      if (earlier !== undefined) alone.delete(earlier);
      else {
        first.set(tripleId, fact.id);
        if (batch.siblings(appended).length === 0) alone.add(fact.id);
      }
    }
  }

  idsIn(snapshot: PluginSnapshot): ReadonlySet<string> {
    return this.#triples.get(snapshot)?.alone ?? NO_IDS;
  }
}

const NO_IDS: ReadonlySet<string> = new Set();

interface TransactionTriples {
  /** The ids of the first fact that the transaction adds to each triple. */
  readonly first: Map<string, string>;
  /** The ids of facts whose triple had no live fact before. */
  readonly alone: Set<string>;
}
