import { portions } from '../../kernel/internal-api.ts';
import { type AppendedFact, type NodeSelf, SCOPES, type Scope } from '../../kernel/plugin-api.ts';
import type { JobData, JobHandler, JobQueue } from '../jobs/jobs-api.ts';
import { type CardStore, cardKey } from './card-store.ts';
import type { CardSubject } from './gather-material.ts';
import type { StoredCards } from './memory-cards.ts';

export const REFRESH_JOB = 'cards.refresh';
/** The maximum number of queued entities. Beyond it, a stale card is refreshed by its next reader. */
const MAX_WAITING = 5_000;
const SUBJECTS_PER_LOOK = 200;

/**
 * Refreshes cards in the background after new facts. Every read checks its card, so a lost refresh does no harm. Cards
 * of gardens wait for their readers, because the background task has no reader's rights.
 */
export class RefreshCards {
  readonly #store: CardStore;
  readonly #jobs: JobQueue;
  readonly #self: NodeSelf;
  readonly #waiting = new Map<string, { readonly tenantId: string; readonly subject: CardSubject }>();

  constructor({ store, jobs, self }: { store: CardStore; jobs: JobQueue; self: NodeSelf }) {
    this.#store = store;
    this.#jobs = jobs;
    this.#self = self;
  }

  /** Remembers the subjects of committed facts. */
  noticed(facts: readonly AppendedFact[]): void {
    for (const { fact } of facts) {
      if (fact.system || fact.gardenId !== null || this.#waiting.size >= MAX_WAITING) continue;
      const { tenantId, entityKey, scope } = fact;
      this.#waiting.set(`${tenantId}\u0000${entityKey}\u0000${scope}`, { tenantId, subject: { entityKey, scope } });
    }
  }

  /** Enqueues a refresh for each noticed subject that has a card. */
  async look(): Promise<void> {
    const noticed = [...this.#waiting.values()];
    this.#waiting.clear();
    // Without cards there is nothing to refresh, so no keys are computed.
    if (noticed.length === 0 || !(await this.#store.isUsed(tenantsOf(noticed)))) return;
    for (const portion of portions(noticed, SUBJECTS_PER_LOOK)) {
      const some = portion.map(({ tenantId, subject }) => ({ tenantId, subject, key: cardKey(tenantId, subject, []) }));
      const known = await this.#store.among(
        [...tenantsOf(some)],
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

const tenantsOf = (subjects: readonly { readonly tenantId: string }[]): Set<string> =>
  new Set(subjects.map(({ tenantId }) => tenantId));

const readSubject = ({ entityKey, scope }: JobData): CardSubject | null =>
  typeof entityKey === 'string' && SCOPES.includes(scope as Scope) ? { entityKey, scope: scope as Scope } : null;
