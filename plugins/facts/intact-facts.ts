import { isErased, isIntact } from '../../kernel/internal-api.ts';
import {
  type Logger,
  ServiceError,
  type ServiceNames,
  type StoredFact,
  type Telemetry,
} from '../../kernel/plugin-api.ts';
import type { AuditLog } from '../audit/audit-api.ts';
import { noSuchFact } from './fact-reference.ts';
import { FEDERATION_INTEGRITY_REJECTED, type IntactFacts } from './facts-api.ts';
import { CID_MISMATCH } from './facts-words.ts';

/** The facts that passed the check. A frozen object cannot change, so it is hashed only once. */
const intact = new WeakSet<StoredFact>();

const isKnownIntact = (fact: StoredFact): boolean => {
  if (intact.has(fact)) return true;
  if (!isIntact(fact)) return false;
  if (Object.isFrozen(fact) && Object.isFrozen(fact.value)) intact.add(fact);
  return true;
};

export interface IntactParts {
  readonly names: ServiceNames;
  readonly log: Logger;
  readonly audit: AuditLog | undefined;
  readonly telemetry: Telemetry;
}

export const createIntactFacts = ({ names, log, audit, telemetry }: IntactParts): IntactFacts => {
  const damaged = telemetry.counter({
    name: 'facts_damaged_total',
    help: 'Stored facts that were found damaged and left out of answers, each once for each process',
  });
  const reported = new Set<string>();
  return {
    async keepIntact(views, caller) {
      const broken = views.filter(({ fact }) => !isKnownIntact(fact));
      if (broken.length === 0) return views;
      for (const { fact } of broken) {
        // A backup from before an erasure may have lost its journal. The fact is gone as intended.
        if (isErased(fact) || reported.has(fact.id)) continue;
        if (reported.size < MAX_REPORTED) reported.add(fact.id);
        damaged.add();
        const { id: factId, damage: column } = fact;
        if (column !== undefined) log.error('a stored fact is damaged and is left out of lists', { factId, column });
        else log.error('a stored fact no longer matches its content id and is left out of lists', { factId });
        await audit?.recordRejection({
          event: FEDERATION_INTEGRITY_REJECTED,
          tenantId: caller.tenantId,
          entityUri: names.systemSource,
          factId,
          detail: column === undefined ? { reason: 'stored_cid_mismatch' } : { reason: 'damaged_column', column },
        });
      }
      return views.filter((view) => !broken.includes(view));
    },
    requireIntact({ fact }) {
      if (isKnownIntact(fact)) return;
      if (isErased(fact)) throw noSuchFact();
      const fault = fact.damage === undefined ? 'no longer matches its content id' : 'is damaged';
      throw new ServiceError(CID_MISMATCH, `the stored fact ${fault}`, {
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
