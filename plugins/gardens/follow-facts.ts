import { ownedBy } from '../../kernel/internal-api.ts';
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
import { type QuarantineRecord, rowOfQuarantined } from './quarantine-row.ts';

/** A promoted or rejected fact: it stays in its garden and ends. */
export interface PlacedFact {
  readonly id: string;
  readonly scope: Scope;
  readonly gardenId: string | null;
}

/** A note on the copy that a promotion creates: its original. */
export const PromotionOf = defineRef<PlacedFact>('gardens.promotion-of');

export interface FollowParts {
  readonly names: ServiceNames;
  readonly audit: AuditLog | undefined;
}

/**
 * Adds facts of quarantine gardens to the quarantine, and ends the original of a promotion. Runs in the transaction
 * that stores the facts.
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
      held.map(({ entry, fact }) => ({ ...rowOfQuarantined(entry), ...ownedBy(fact) })),
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

/** Returns a system fact that ends a fact at an instant. All readers of the fact see it. */
export const endOf = ({ id, scope, gardenId }: PlacedFact, nowMs: number, names: ServiceNames): FactDraft => ({
  // The bare id of a received fact could equal any entity.
  entity: names.factEntity(id),
  relation: names.meta('ttl'),
  value: { type: 'datetime', v: formatInstant(nowMs), interpretAs: 'content' },
  source: names.systemSource,
  confidence: 1,
  scope,
  gardenId,
});

interface HeldFact extends Pick<AppendedFact, 'fact'> {
  readonly entry: QuarantineRecord;
  readonly by: string;
}

const heldAmong = async (facts: readonly AppendedFact[], own: WritableTables): Promise<readonly HeldFact[]> => {
  const held: HeldFact[] = [];
  const gardenIds = [...new Set(facts.flatMap(({ fact }) => (fact.system ? [] : (fact.gardenId ?? []))))];
  if (gardenIds.length === 0) return held;
  const tenantId = facts[0]?.fact.tenantId ?? '';
  const gardens = await gardensById(own, tenantId, gardenIds);
  for (const { fact, caller, notes } of facts) {
    if (fact.system || fact.gardenId === null || gardens.get(fact.gardenId)?.quarantine !== true) continue;
    const { id: factId, gardenId, timestampMs } = fact;
    const reason = noteOf(notes, QuarantineReason) ?? 'asserted';
    const open = { status: 'pending', actedBy: null, actedMs: null, targetGardenId: null } as const;
    held.push({ entry: { factId, tenantId, gardenId, reason, timestampMs, ...open }, fact, by: caller.entityUri });
  }
  return held;
};
