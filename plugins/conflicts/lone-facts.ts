import type { AppendedBatch, PluginSnapshot } from '../../kernel/plugin-api.ts';

/**
 * Facts of an open transaction that are the only live facts on their triple in any place. They contradict nothing for
 * any caller, so storing them and answering their writers needs no look-up.
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
  /** The first fact added to each triple, by id. */
  readonly first: Map<string, string>;
  /** Ids of facts on triples that had no live fact before. */
  readonly alone: Set<string>;
}
