import {
  type AppendedBatch,
  type AppendedFact,
  defineRef,
  type FactDraft,
  formatInstant,
  noteOf,
  type Scope,
  type ServiceNames,
  type WritableTables,
} from '../../kernel/plugin-api.ts';
import type { AuditLog } from '../audit/audit-api.ts';
import { gardensById } from './garden-store.ts';
import { QuarantineReason } from './gardens-api.ts';
import { QUARANTINED } from './gardens-migrations.ts';
import { QUARANTINE_INGEST } from './gardens-words.ts';
import { type Quarantined, rowOfQuarantined } from './quarantine-row.ts';

/** A fact that was let out of quarantine, or refused, stays where it is and ends. */
export interface Held {
  readonly id: string;
  readonly scope: Scope;
  readonly gardenId: string | null;
}

/** Note on the copy that a promotion makes: the fact that it is a copy of. */
export const PromotionOf = defineRef<Held>('gardens.promotion-of');

export interface FollowParts {
  readonly names: ServiceNames;
  readonly audit: AuditLog | undefined;
}

/**
 * What follows from facts that were just stored in gardens, in their transaction: some wait in quarantine, and a
 * promotion ends its original.
 */
export const followFacts = async (
  { facts, transaction, nowMs }: AppendedBatch,
  own: WritableTables,
  parts: FollowParts,
): Promise<FactDraft[] | undefined> => {
  const inGardens = facts.filter(({ fact, notes }) => fact.gardenId !== null || notes !== undefined);
  if (inGardens.length === 0) return undefined;
  const held = await heldAmong(inGardens, own);
  if (held.length > 0) {
    await own.insertRows(
      QUARANTINED,
      held.map(({ entry }) => rowOfQuarantined(entry)),
    );
    await parts.audit?.record(
      held.map(({ entry, by }) => ({
        event: QUARANTINE_INGEST,
        tenantId: entry.tenantId,
        entityUri: by,
        factId: entry.factId,
        detail: { garden_id: entry.gardenId, reason: entry.reason },
      })),
      transaction,
    );
  }
  return inGardens.flatMap(({ notes }) => {
    const original = noteOf(notes, PromotionOf);
    return original === undefined ? [] : [endOf(original, nowMs, parts.names)];
  });
};

/** Ends a fact at an instant, by a meta-fact that all readers of the fact see. */
export const endOf = ({ id, scope, gardenId }: Held, nowMs: number, names: ServiceNames): FactDraft => ({
  entity: id,
  relation: names.meta('ttl'),
  value: { type: 'datetime', v: formatInstant(nowMs), interpretAs: 'content' },
  source: names.systemSource,
  confidence: 1,
  scope,
  gardenId,
});

const heldAmong = async (
  facts: readonly AppendedFact[],
  own: WritableTables,
): Promise<{ readonly entry: Quarantined; readonly by: string }[]> => {
  const held: { entry: Quarantined; by: string }[] = [];
  const gardenIds = [...new Set(facts.flatMap(({ fact }) => (fact.system ? [] : (fact.gardenId ?? []))))];
  if (gardenIds.length === 0) return held;
  const tenantId = facts[0]?.fact.tenantId ?? '';
  const gardens = await gardensById(own, tenantId, gardenIds);
  for (const { fact, caller, notes } of facts) {
    if (fact.system || fact.gardenId === null || gardens.get(fact.gardenId)?.quarantine !== true) continue;
    const { id: factId, gardenId, timestampMs } = fact;
    const reason = noteOf(notes, QuarantineReason) ?? 'asserted';
    const open = { status: 'pending', actedBy: null, actedMs: null, targetGardenId: null } as const;
    held.push({ entry: { factId, tenantId, gardenId, reason, timestampMs, ...open }, by: caller.entityUri });
  }
  return held;
};
