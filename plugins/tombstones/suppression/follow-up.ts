import { othersGoFirst, type TriplePosition } from '../../../kernel/internal-api.ts';
import {
  all,
  type Clock,
  equals,
  FACT_RETURNED,
  isIn,
  type PluginSnapshot,
  type PluginTables,
  type PluginTransaction,
  SUPPRESSION_CHANGED,
  type WritableTables,
} from '../../../kernel/plugin-api.ts';
import { tombstoneFromRow } from '../markers/marker-row.ts';
import { MARKERS } from '../markers/marker-tables.ts';
import type { Tombstone } from '../tombstones-api.ts';
import { type HiddenSystemFact, hideSystemFacts } from './hidden-rows.ts';
import { tellingOfHidden } from './partly-hidden.ts';
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
    await othersGoFirst();
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

/**
 * Processes one batch. Returns true when nothing is left. Runs in a transaction of the tenant. Batches follow the index
 * on triples, because batches in the order of the ledger would each read and sort all facts of the entity.
 */
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
  const { entityKey, scope, signedBy, revokedMs } = tombstone;
  const isOurs = tombstone.receivedFrom === null;
  const after = await positionOf(tenantId, Number(row['followed_number']), transaction);
  const filter = equals('entityKey', entityKey);
  const found = await transaction.outlineByTriple({ tenantId, filter, after, limit: FACTS_PER_PIECE });
  // Conditions in the query would let one batch read any number of facts that do not satisfy them.
  const covered = found.filter(
    (fact) => (scope === '*' || fact.scope === scope) && (isOurs || fact.originNodeId === signedBy),
  );
  const factIds = covered.map((fact) => fact.id);
  if (revokedMs !== null) {
    if (factIds.length > 0) await transaction.announce(FACT_RETURNED, factIds, clock.nowMs());
  } else {
    const systemFacts = [...(await systemFactsOf(transaction, tenantId, factIds, names))];
    const ofConflicts = after === undefined ? await systemFactsOfConflicts(transaction, tombstone, parts) : [];
    if (isOurs) systemFacts.push(...ofConflicts);
    const hidden = systemFacts.map((factId) => ({ tombstoneId: id, isHeld: tombstone.legalHold, factId }));
    // A tombstone of another node covers only a part of the facts of a conflict.
    if (!isOurs) hidden.push(...(await tellingAmong(ofConflicts, tenantId, own, transaction, parts)));
    await hideSystemFacts(own, tenantId, hidden);
    if (hidden.length > 0) await transaction.announce(SUPPRESSION_CHANGED, [id], clock.nowMs());
  }
  const last = found.length < FACTS_PER_PIECE ? undefined : found.at(-1);
  const followed = last === undefined ? null : await numberOf(tenantId, last.id, transaction);
  await own(MARKERS).where(named).update({ followed_number: followed });
  return followed === null;
};

/** Returns the system facts among these ids that tell of a hidden fact. */
const tellingAmong = async (
  ids: readonly string[],
  tenantId: string,
  own: WritableTables,
  transaction: PluginTransaction,
  parts: SystemFactParts,
): Promise<HiddenSystemFact[]> => {
  const telling: HiddenSystemFact[] = [];
  for (let at = 0; at < ids.length; at += FACTS_PER_PIECE) {
    const some = ids.slice(at, at + FACTS_PER_PIECE);
    const filter = all(equals('tenantId', tenantId), isIn('id', some));
    const facts = await transaction.find({ filter, order: 'feed', limit: some.length });
    telling.push(...(await tellingOfHidden(facts, own, transaction, parts)));
  }
  return telling;
};

/** Returns the position of the fact with this number; undefined for 0. */
const positionOf = async (
  tenantId: string,
  number: number,
  snapshot: PluginSnapshot,
): Promise<TriplePosition | undefined> => {
  if (number === 0) return undefined;
  const piece = { tenantId, above: number - 1, below: number + 1 };
  const [entry] = await snapshot.ledger({ ...piece, order: 'oldest', limit: 1, members: ['factId'] });
  if (entry === undefined) return undefined;
  return (await snapshot.outline(all(equals('tenantId', tenantId), equals('id', entry.factId))))[0];
};

const numberOf = async (tenantId: string, factId: string, snapshot: PluginSnapshot): Promise<number> => {
  const query = { tenantId, filter: equals('id', factId), order: 'oldest', limit: 1, members: ['number'] } as const;
  return (await snapshot.ledger(query))[0]?.number ?? 0;
};
