import type { RestoredBatch } from '../../../kernel/internal-api.ts';
import type {
  AppendedBatch,
  FactErasure,
  PluginTables,
  PluginTransaction,
  Row,
  StoredFact,
} from '../../../kernel/plugin-api.ts';
import { tombstoneFromRow } from '../markers/marker-row.ts';
import { MARKERS } from '../markers/marker-tables.ts';
import type { Tombstone } from '../tombstones-api.ts';

export interface ArrivalParts {
  readonly tables: PluginTables;
  readonly erasure: FactErasure;
}

/**
 * Erases facts of peers that were erased here before, in the transaction that stores them. So an erased fact never
 * commits with its content.
 */
export const eraseArrived = async ({ facts, transaction }: AppendedBatch, parts: ArrivalParts): Promise<undefined> => {
  const arrived = facts.flatMap(({ fact, origin }) => (origin === 'peer' ? [fact] : []));
  if (arrived.length > 0) await eraseAgain(arrived, transaction, parts);
  return undefined;
};

/** Erases facts of an import that were erased here before, in the transaction that stores them. */
export const eraseRestored = ({ facts, transaction }: RestoredBatch, parts: ArrivalParts): Promise<void> =>
  eraseAgain(facts, transaction, parts);

const eraseAgain = async (
  facts: readonly StoredFact[],
  transaction: PluginTransaction,
  { tables, erasure }: ArrivalParts,
): Promise<void> => {
  const [first] = facts;
  if (first === undefined) return;
  const { tenantId } = first;
  const keys = [...new Set(facts.map(({ entityKey }) => entityKey))];
  const rows = await tables
    .in(transaction)(MARKERS)
    .where({ tenant_id: tenantId })
    .whereIn('entity_key', keys)
    .whereNotNull('erased_ms')
    .whereNull('revoked_ms');
  if (rows.length === 0) return;
  const markers = (rows as readonly Row[]).map(tombstoneFromRow);
  const again = facts.filter((fact) => markers.some((marker) => wasErased(fact, marker))).map(({ id }) => id);
  if (again.length > 0) await erasure.erase(tenantId, again, transaction);
};

/** Returns true if the fact was asserted before the erasure, by its origin's stamp. Later facts are only hidden. */
const wasErased = (fact: StoredFact, { entityKey, scope, erasedMs, receivedFrom, signedBy }: Tombstone): boolean =>
  fact.entityKey === entityKey &&
  (scope === '*' || scope === fact.scope) &&
  fact.hlc.wallMs <= (erasedMs ?? 0) &&
  (receivedFrom === null || fact.originNodeId === signedBy);
