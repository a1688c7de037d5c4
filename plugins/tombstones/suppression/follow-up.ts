import { eachInTurn, othersGoFirst, type TripleKey, type TriplePosition } from '../../../kernel/internal-api.ts';
import {
  all,
  type Clock,
  equals,
  FACT_RETURNED,
  type FactOutline,
  type Facts,
  isIn,
  type PluginSnapshot,
  type PluginTables,
  type PluginTransaction,
  SUPPRESSION_CHANGED,
  type WritableTables,
} from '../../../kernel/plugin-api.ts';
import type { ConflictRevisions, RevisedConflict } from '../../conflicts/conflicts-api.ts';
import { tombstoneFromRow } from '../markers/marker-row.ts';
import { MARKERS } from '../markers/marker-tables.ts';
import type { Tombstone } from '../tombstones-api.ts';
import {
  type HiddenSystemFact,
  hideAllAboutConflicts,
  hideAllAboutFacts,
  hideSystemFacts,
  showOthersAboutConflicts,
  showOthersAboutFacts,
} from './hidden-rows.ts';
import { tellingOfHidden } from './partly-hidden.ts';
import { type SystemFactParts, systemFactsOf, systemFactsOfConflicts } from './system-facts.ts';
import { staleFacts, tellAgain } from './tell-again.ts';

/** The number of facts processed in one transaction. */
const FACTS_PER_PIECE = 500;
/**
 * The number of conflicts that are revised in one transaction: small, so that other writers never wait long. 40
 * conflicts of 64 members took 0.9 s on SQLite and 2.7 s on PostgreSQL.
 */
const CONFLICTS_PER_PIECE = 10;

export interface FollowUpParts extends SystemFactParts {
  readonly tables: PluginTables;
  readonly clock: Clock;
  readonly facts: Facts;
  readonly revisions: ConflictRevisions | undefined;
  /** False if tombstones hide nothing, so that the facts behind those of peers contradict others. */
  readonly isSuppressing: boolean;
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
  const { tenantId } = tombstone;
  for (;;) {
    const piece = await parts.tables.writeUnlessErased(tenantId, (own, transaction) =>
      followPiece(tombstone, own, transaction, parts),
    );
    if (piece === undefined) return false;
    if (piece.goOn !== undefined) {
      await tellAgain(tenantId, piece.revised, parts);
      await parts.revisions?.open(tenantId, piece.unopened);
      await parts.tables.writeUnlessErased(tenantId, piece.goOn);
    }
    if (piece.isLast) return true;
    await othersGoFirst();
  }
};

/**
 * Continues with every tombstone whose processing was interrupted. One that fails, as over a damaged fact, does not
 * hold up the others. Rejects with its error behind them.
 */
export const followUpRest = (parts: FollowUpParts): Promise<void> =>
  eachInTurn(allUnfollowed(parts), (tombstone) => followUp(tombstone, parts));

const MARKERS_AT_ONCE = 100;

type Named = Pick<Tombstone, 'tenantId' | 'id'>;

async function* allUnfollowed(parts: FollowUpParts): AsyncGenerator<Named> {
  for (let last: Named | undefined = { tenantId: '', id: '' }; last !== undefined; ) {
    const page: readonly Named[] = (await unfollowed(last, parts)).map(tombstoneFromRow);
    yield* page;
    last = page.at(-1);
  }
}

/** Returns the tombstones behind this one that are not processed to the end, in a fixed order. */
const unfollowed = ({ tenantId, id }: Named, { tables }: FollowUpParts) =>
  tables(MARKERS)
    .whereNotNull('followed_number')
    .where('tenant_id', '>=', tenantId)
    .whereNot((before) => before.where('tenant_id', tenantId).where('tombstone_id', '<=', id))
    .orderBy(['tenant_id', 'tombstone_id'])
    .limit(MARKERS_AT_ONCE);

/** The work that one batch leaves to transactions that store facts. */
export interface FollowedPiece {
  readonly isLast: boolean;
  readonly revised: readonly RevisedConflict[];
  /** The triples whose visible facts contradict each other without a conflict. */
  readonly unopened: readonly TripleKey[];
  /** Stores the position, if the batch left something to do before: otherwise a crash would leave it undone. */
  readonly goOn: ((own: WritableTables) => Promise<void>) | undefined;
}

const NOTHING_LEFT: FollowedPiece = { isLast: true, revised: [], unopened: [], goOn: undefined };

/**
 * Processes one batch. Runs in a transaction of the tenant. Batches follow the index on triples, because batches in the
 * order of the ledger would each read and sort all facts of the entity. A batch that runs again does no harm.
 */
export const followPiece = async (
  { tenantId, id }: Pick<Tombstone, 'tenantId' | 'id'>,
  own: WritableTables,
  transaction: PluginTransaction,
  parts: Omit<FollowUpParts, 'tables'>,
): Promise<FollowedPiece> => {
  const named = { tenant_id: tenantId, tombstone_id: id };
  const [row] = await own.select(MARKERS, named);
  if (row === undefined || row['followed_number'] === null) return NOTHING_LEFT;
  const tombstone = tombstoneFromRow(row);
  const left = { revised: [] as RevisedConflict[], unopened: [] as TripleKey[] };
  const within = { tombstone, own, transaction, parts, left };
  const number = Number(row['followed_number']);
  const nextConflict = number <= 0 ? await followConflicts(-number, within) : undefined;
  const next = nextConflict ?? (await followFacts(Math.max(number, 0), within));
  if (next === null) await showOthersAboutFacts(own, tombstone);
  else if (number === 0 && tombstone.revokedMs === null) await hideAllAboutFacts(own, tombstone);
  // A revocation meanwhile begins anew.
  const place = { ...named, followed_number: number, revoked_ms: tombstone.revokedMs };
  const goOn = async (tables: WritableTables): Promise<void> => {
    await tables(MARKERS).where(place).update({ followed_number: next });
  };
  const isDone = left.revised.length + left.unopened.length === 0;
  if (isDone) await goOn(own);
  return { isLast: next === null, ...left, goOn: isDone ? undefined : goOn };
};

interface Piece {
  readonly tombstone: Tombstone;
  readonly own: WritableTables;
  readonly transaction: PluginTransaction;
  readonly parts: Omit<FollowUpParts, 'tables'>;
  readonly left: { readonly revised: RevisedConflict[]; readonly unopened: TripleKey[] };
}

/** Hides the next system facts about conflicts. Returns the next position; undefined when all are hidden. */
const followConflicts = async (number: number, piece: Piece): Promise<number | undefined> => {
  const { tombstone, own, transaction, parts } = piece;
  const { tenantId, id, scope, legalHold, receivedFrom, revokedMs } = tombstone;
  if (revokedMs !== null) return undefined;
  const after = await positionOf(tenantId, number, transaction);
  const page = { after, limit: FACTS_PER_PIECE };
  const { found, isOver } = await systemFactsOfConflicts(transaction, tombstone, page, parts);
  const some = receivedFrom === null ? found : ofFirstConflicts(found);
  const ids = some.flatMap((fact) => (scope === '*' || fact.scope === scope ? [fact.id] : []));
  // A tombstone of another node covers only a part of the facts of a conflict.
  const hidden =
    receivedFrom === null
      ? ids.map((factId) => ({ tombstoneId: id, isHeld: legalHold, factId }))
      : await staleAmong(ids, piece);
  await hide(hidden, piece);
  const last = isOver && some.length === found.length ? undefined : some.at(-1);
  if (last !== undefined) {
    if (number === 0) await hideAllAboutConflicts(own, tombstone);
    return -(await numberOf(tenantId, last.id, transaction));
  }
  await showOthersAboutConflicts(own, tombstone);
  return undefined;
};

/** Returns the facts about the first conflicts. All facts about a conflict follow each other. */
const ofFirstConflicts = (found: readonly FactOutline[]): readonly FactOutline[] => {
  const keys = [...new Set(found.map(({ entityKey }) => entityKey))];
  const next = keys[CONFLICTS_PER_PIECE];
  return next === undefined
    ? found
    : found.slice(
        0,
        found.findIndex(({ entityKey }) => entityKey === next),
      );
};

/** Processes the next facts of the entity. Returns the next position; null at the end. */
const followFacts = async (number: number, piece: Piece): Promise<number | null> => {
  const { tombstone, transaction, parts } = piece;
  const { tenantId, id, entityKey, scope, signedBy, legalHold, receivedFrom, revokedMs } = tombstone;
  const after = await positionOf(tenantId, number, transaction);
  const filter = equals('entityKey', entityKey);
  const found = await transaction.outlineByTriple({ tenantId, filter, after, limit: FACTS_PER_PIECE });
  // Conditions in the query would let one batch read any number of facts that do not satisfy them.
  const covered = found.filter(
    (fact) => (scope === '*' || fact.scope === scope) && (receivedFrom === null || fact.originNodeId === signedBy),
  );
  const factIds = covered.map((fact) => fact.id);
  if (receivedFrom !== null) await judge(covered, revokedMs === null && parts.isSuppressing, piece);
  if (revokedMs !== null) {
    if (factIds.length > 0) await transaction.announce(FACT_RETURNED, factIds, parts.clock.nowMs());
  } else {
    const about = await systemFactsOf(transaction, tenantId, factIds, parts.names);
    await hide(
      about.map((factId) => ({ tombstoneId: id, isHeld: legalHold, factId })),
      piece,
    );
  }
  const last = found.length < FACTS_PER_PIECE ? undefined : found.at(-1);
  return last === undefined ? null : numberOf(tenantId, last.id, transaction);
};

/** Corrects what facts of a peer decide, which its tombstone hides or no longer hides. */
const judge = async (
  covered: readonly FactOutline[],
  areHidden: boolean,
  { transaction, parts: { revisions }, left }: Piece,
): Promise<void> => {
  if (areHidden) return revisions?.hide(transaction, covered);
  left.unopened.push(...((await revisions?.show(transaction, covered)) ?? []));
};

const hide = async (
  hidden: readonly HiddenSystemFact[],
  { tombstone: { tenantId, id }, own, transaction, parts }: Piece,
): Promise<void> => {
  if (hidden.length === 0) return;
  await hideSystemFacts(own, tenantId, hidden);
  await transaction.announce(SUPPRESSION_CHANGED, [id], parts.clock.nowMs());
};

/** Revises the conflicts that these system facts are about, and returns the system facts that no longer hold. */
const staleAmong = async (
  ids: readonly string[],
  { tombstone: { tenantId, id, legalHold }, own, transaction, parts, left }: Piece,
): Promise<readonly HiddenSystemFact[]> => {
  const filter = all(equals('tenantId', tenantId), isIn('id', ids));
  const told = ids.length === 0 ? [] : await transaction.find({ filter, order: 'feed', limit: ids.length });
  const keys = [...new Set(told.map(({ entityKey }) => entityKey))];
  const revised = (await parts.revisions?.revise(transaction, tenantId, keys)) ?? [];
  left.revised.push(...revised);
  const stale = staleFacts(told, revised, parts.names).map(({ id: factId }) => ({
    tombstoneId: id,
    isHeld: legalHold,
    factId,
  }));
  return [...stale, ...(await tellingOfHidden(told, own, transaction, parts))];
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
