import {
  all,
  type Clock,
  equals,
  FACT_RETURNED,
  isIn,
  type PluginTables,
  type PluginTransaction,
  SCOPES,
  SUPPRESSION_CHANGED,
  type WritableTables,
} from '../../../kernel/plugin-api.ts';
import { tombstoneFromRow } from '../markers/marker-row.ts';
import { MARKERS } from '../markers/marker-tables.ts';
import type { Tombstone } from '../tombstones-api.ts';
import { hideSystemFacts } from './hidden-rows.ts';
import { type SystemFactParts, systemFactsOf, systemFactsOfConflicts } from './system-facts.ts';

/** The number of facts processed in one transaction. */
const FACTS_PER_PIECE = 500;

export interface FollowUpParts extends SystemFactParts {
  readonly tables: PluginTables;
  readonly clock: Clock;
}

/**
 * Processes each fact of a tombstone's entity, in batches, because there may be very many. For a new tombstone it hides
 * the system facts about them. For a revoked one it adds each fact to the feed again. The tombstone's row stores the
 * progress, so that another process or the next start can continue. Returns false for an erased tenant.
 */
export const followUp = async (
  tombstone: Pick<Tombstone, 'tenantId' | 'id'>,
  parts: FollowUpParts,
): Promise<boolean> => {
  let isDone: boolean | undefined = false;
  while (isDone === false) {
    isDone = await parts.tables.writeUnlessErased(tombstone.tenantId, (own, transaction) =>
      followPiece(tombstone, own, transaction, parts),
    );
  }
  return isDone === true;
};

/** Continues with every tombstone whose processing was interrupted. */
export const followUpRest = async (parts: FollowUpParts): Promise<void> => {
  for (;;) {
    const rows = await parts.tables(MARKERS).whereNotNull('followed_number').limit(MARKERS_AT_ONCE);
    let followed = 0;
    for (const row of rows) if (await followUp(tombstoneFromRow(row), parts)) followed += 1;
    if (rows.length < MARKERS_AT_ONCE || followed === 0) return;
  }
};

const MARKERS_AT_ONCE = 100;

/** Processes one batch. Returns true when nothing is left. Runs in a transaction of the tenant. */
export const followPiece = async (
  { tenantId, id }: Pick<Tombstone, 'tenantId' | 'id'>,
  own: WritableTables,
  transaction: PluginTransaction,
  parts: Omit<FollowUpParts, 'tables'>,
): Promise<boolean> => {
  const { clock, names } = parts;
  const named = { tenant_id: tenantId, tombstone_id: id };
  const [row] = await own.select(MARKERS, named);
  if (row === undefined || row['followed_number'] === null) return true;
  const tombstone = tombstoneFromRow(row);
  const { entityKey, scope, revokedMs } = tombstone;
  const above = Number(row['followed_number']);
  const isOurs = tombstone.receivedFrom === null;
  const found = await transaction.ledger({
    tenantId,
    above,
    filter: all(
      equals('entityKey', entityKey),
      isIn('scope', scope === '*' ? SCOPES : [scope]),
      ...(isOurs ? [] : [equals('originNodeId', tombstone.signedBy)]),
    ),
    order: 'oldest',
    limit: FACTS_PER_PIECE,
    members: ['factId', 'number'],
  });
  const factIds = found.map(({ factId }) => factId);
  if (revokedMs !== null) {
    if (factIds.length > 0) await transaction.announce(FACT_RETURNED, factIds, clock.nowMs());
  } else {
    const systemFacts = [...(await systemFactsOf(transaction, tenantId, factIds, names))];
    // Only a tombstone of this node hides conflicts, because a tombstone of another node covers only a part of their
    // facts.
    if (above === 0 && isOurs) systemFacts.push(...(await systemFactsOfConflicts(transaction, tombstone, parts)));
    await hideSystemFacts(
      own,
      tenantId,
      systemFacts.map((factId) => ({ tombstoneId: id, isHeld: tombstone.legalHold, factId })),
    );
    if (systemFacts.length > 0) await transaction.announce(SUPPRESSION_CHANGED, [id], clock.nowMs());
  }
  const isDone = found.length < FACTS_PER_PIECE;
  await own(MARKERS)
    .where(named)
    .update({ followed_number: isDone ? null : (found.at(-1)?.number ?? null) });
  return isDone;
};
