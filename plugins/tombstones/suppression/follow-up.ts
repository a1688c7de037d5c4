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
import { hideWords } from './hidden-rows.ts';
import { entitiesAbout, type WordParts } from './words-about-facts.ts';

/** Facts that are followed up in one transaction. */
const FACTS_PER_PIECE = 500;

export interface FollowUpParts extends WordParts {
  readonly tables: PluginTables;
  readonly clock: Clock;
}

/**
 * What follows from a marker for each fact of its entity, in pieces, because there may be very many: what the node
 * tells of them is hidden, or, when the marker is revoked, the feed tells of each of them again. How far that is, the
 * marker says; so another process, or the next start, goes on from there.
 */
export const followUp = async (tombstone: Pick<Tombstone, 'tenantId' | 'id'>, parts: FollowUpParts): Promise<void> => {
  let isDone = false;
  while (!isDone) {
    isDone = await parts.tables.write(tombstone.tenantId, (own, transaction) =>
      followPiece(tombstone, own, transaction, parts),
    );
  }
};

/** Goes on with every marker that was left in the middle. */
export const followUpRest = async (parts: FollowUpParts): Promise<void> => {
  for (;;) {
    const rows = await parts.tables(MARKERS).whereNotNull('followed_number').limit(MARKERS_AT_ONCE);
    for (const row of rows) await followUp(tombstoneFromRow(row), parts);
    if (rows.length < MARKERS_AT_ONCE) return;
  }
};

const MARKERS_AT_ONCE = 100;

/** True when nothing is left to do. In a transaction of the tenant. */
export const followPiece = async (
  { tenantId, id }: Pick<Tombstone, 'tenantId' | 'id'>,
  own: WritableTables,
  transaction: PluginTransaction,
  { clock, names, conflicts }: Omit<FollowUpParts, 'tables'>,
): Promise<boolean> => {
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
    const words = [...(await entitiesAbout(transaction, tenantId, factIds, names))];
    // Conflicts are told of by this node: facts of another one are a part of them at most.
    if (above === 0 && isOurs) words.push(...((await conflicts?.about(transaction, tenantId, [entityKey])) ?? []));
    const by = { tombstoneId: id, isHeld: tombstone.legalHold, originNodeId: '' };
    await hideWords(
      own,
      tenantId,
      words.map((word) => ({ ...by, entityKey: word })),
    );
    if (words.length > 0) await transaction.announce(SUPPRESSION_CHANGED, [id], clock.nowMs());
  }
  const isDone = found.length < FACTS_PER_PIECE;
  await own(MARKERS)
    .where(named)
    .update({ followed_number: isDone ? null : (found.at(-1)?.number ?? null) });
  return isDone;
};
