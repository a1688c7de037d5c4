import type { AppendedBatch, PluginSnapshot } from '../../kernel/plugin-api.ts';

/**
 * Which facts, stored by a transaction that is still open, are the only ones on their triple that anybody could see
 * live. They contradict nothing for any caller, so that neither storing them nor answering their writers takes a
 * look-up.
 */
export class AloneInTransaction {
  readonly #triples = new WeakMap<PluginSnapshot, TriplesOfTransaction>();

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

  /** Their ids. */
  idsIn(snapshot: PluginSnapshot): ReadonlySet<string> {
    return this.#triples.get(snapshot)?.alone ?? NOBODY;
  }
}

const NOBODY: ReadonlySet<string> = new Set();

interface TriplesOfTransaction {
  /** The first fact that was added to each triple, by id. */
  readonly first: Map<string, string>;
  /** Ids of facts alone on triples that held nothing live before. */
  readonly alone: Set<string>;
}
