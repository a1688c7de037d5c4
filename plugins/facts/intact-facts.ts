import { cacheByFact, contentId } from '../../kernel/internal-api.ts';
import { type Logger, ServiceError, type ServiceNames, type StoredFact } from '../../kernel/plugin-api.ts';
import type { AuditLog } from '../audit/audit-api.ts';
import { FEDERATION_INTEGRITY_REJECTED, type IntactFacts } from './facts-api.ts';
import { CID_MISMATCH } from './facts-words.ts';

/** Computes the content id from the stored row; null if the row is too damaged to compute one. */
export const recomputedCid = cacheByFact((fact: StoredFact): string | null => {
  try {
    return contentId(fact);
  } catch {
    return null;
  }
});

/** The facts that passed the check. A frozen object cannot change, so it is hashed only once. */
const intact = new WeakSet<StoredFact>();

const isIntact = (fact: StoredFact): boolean => {
  if (intact.has(fact)) return true;
  if (recomputedCid(fact) !== fact.cid) return false;
  if (Object.isFrozen(fact) && Object.isFrozen(fact.value)) intact.add(fact);
  return true;
};

export const createIntactFacts = (names: ServiceNames, log: Logger, audit: AuditLog | undefined): IntactFacts => {
  const reported = new Set<string>();
  return {
    async keepIntact(views, caller) {
      const broken = views.filter(({ fact }) => !isIntact(fact));
      if (broken.length === 0) return views;
      for (const { fact } of broken) {
        if (reported.has(fact.id)) continue;
        if (reported.size < MAX_REPORTED) reported.add(fact.id);
        log.error('a stored fact no longer matches its content id and is left out of lists', { factId: fact.id });
        await audit?.recordRejection({
          event: FEDERATION_INTEGRITY_REJECTED,
          tenantId: caller.tenantId,
          entityUri: names.systemSource,
          factId: fact.id,
          detail: { reason: 'stored_cid_mismatch' },
        });
      }
      return views.filter((view) => !broken.includes(view));
    },
    requireIntact(view) {
      if (isIntact(view.fact)) return;
      throw new ServiceError(CID_MISMATCH, 'the stored fact no longer matches its content id', {
        hint: 'the store was changed from outside; restore the fact from a backup or from a peer',
      });
    },
  };
};

/**
 * The maximum number of remembered ids of damaged facts. Each is logged once, so that a polling client does not fill
 * the log.
 */
const MAX_REPORTED = 10_000;
