import { type AppendedFact, type NodeSelf, SCOPES, type Scope, type StoredFact } from '../../kernel/plugin-api.ts';
import type { JobData, JobHandler, JobQueue } from '../jobs/jobs-api.ts';
import { type CardStore, cardKey } from './card-store.ts';
import type { CardSubject } from './gather-material.ts';
import type { StoredCards } from './memory-cards.ts';

export const REFRESH_JOB = 'cards.refresh';
/** Most entities that wait to be looked at. Beyond it a stale card waits for its next reader. */
const MAX_WAITING = 5_000;
const SUBJECTS_PER_LOOK = 200;

/**
 * Refreshes cards in the background after new facts. Every read judges whether its card is stale, so a lost refresh
 * does no harm. Cards of gardens wait for their readers, because the background has no reader's rights.
 */
export class RefreshCards {
  readonly #store: CardStore;
  readonly #jobs: JobQueue;
  readonly #self: NodeSelf;
  /** One fact about each subject. */
  readonly #waiting = new Map<string, StoredFact>();

  constructor({ store, jobs, self }: { store: CardStore; jobs: JobQueue; self: NodeSelf }) {
    this.#store = store;
    this.#jobs = jobs;
    this.#self = self;
  }

  /** Remembers the subjects of committed facts. */
  noticed(facts: readonly AppendedFact[]): void {
    for (const { fact } of facts) {
      if (fact.system || fact.gardenId !== null || this.#waiting.size >= MAX_WAITING) continue;
      this.#waiting.set(`${fact.tenantId}\u0000${fact.entityKey}\u0000${fact.scope}`, fact);
    }
  }

  /** Enqueues a refresh for each remembered subject that has a card. */
  async look(): Promise<void> {
    const facts = [...this.#waiting.values()];
    this.#waiting.clear();
    // The keys of cards are digests, which nobody needs while there are no cards.
    if (facts.length === 0 || !(await this.#store.isUsed(new Set(facts.map(({ tenantId }) => tenantId))))) return;
    for (let at = 0; at < facts.length; at += SUBJECTS_PER_LOOK) {
      const some = facts.slice(at, at + SUBJECTS_PER_LOOK).map((fact) => {
        const subject = subjectOf(fact);
        return { tenantId: fact.tenantId, subject, key: cardKey(fact.tenantId, subject, []) };
      });
      const known = await this.#store.among(
        [...new Set(some.map(({ tenantId }) => tenantId))],
        some.map(({ key }) => key),
      );
      for (const { key, subject, tenantId } of some) {
        if (!known.has(key)) continue;
        await this.#jobs.enqueue({
          type: REFRESH_JOB,
          tenantId,
          creator: this.#self.names.systemSource,
          payload: { ...subject },
          scope: subject.scope,
          dedupe: { key },
        });
      }
    }
  }
}

export const refreshHandler = (cards: StoredCards): JobHandler => ({
  async run({ tenantId, payload }) {
    const subject = readSubject(payload);
    if (subject !== null) await cards.refreshOutsideGardens(tenantId, subject);
    return {};
  },
});

const subjectOf = ({ entityKey, scope }: StoredFact): CardSubject => ({ entityKey, scope });

const readSubject = ({ entityKey, scope }: JobData): CardSubject | null =>
  typeof entityKey === 'string' && SCOPES.includes(scope as Scope) ? { entityKey, scope: scope as Scope } : null;
