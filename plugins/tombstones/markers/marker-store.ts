import type { Hlc, ReadableTables, WritableTables } from '../../../kernel/plugin-api.ts';
import { hideAllAboutConflicts, hideAllAboutFacts, hideEntity } from '../suppression/hidden-rows.ts';
import type { Tombstone, TombstonePosition, TombstoneRevocation } from '../tombstones-api.ts';
import { revocationFromRow, rowOfRevocation, rowOfTombstone, tombstoneFromRow } from './marker-row.ts';
import { HIDDEN, HIDDEN_SYSTEM_FACTS, MARKERS, REVOCATIONS } from './marker-tables.ts';

export const MAX_TOMBSTONES_SHOWN = 500;

type Named = Pick<Tombstone, 'tenantId' | 'id'>;

export const tombstoneById = async (own: ReadableTables, { tenantId, id }: Named): Promise<Tombstone | undefined> => {
  const [row] = await own.select(MARKERS, { tenant_id: tenantId, tombstone_id: id });
  return row === undefined ? undefined : tombstoneFromRow(row);
};

/** Returns the tombstone that this issuer has signed with this id. */
export const tombstoneOfIssuer = async (
  own: ReadableTables,
  { tenantId, id, signedBy }: Pick<Tombstone, 'tenantId' | 'id' | 'signedBy'>,
): Promise<Tombstone | undefined> => {
  const ofIssuer = { tenant_id: tenantId, signed_by: signedBy };
  const row =
    (await own(MARKERS)
      .where({ ...ofIssuer, tombstone_id: id })
      .whereNull('origin_id')
      .first()) ??
    (await own(MARKERS)
      .where({ ...ofIssuer, origin_id: id })
      .first());
  return row === undefined ? undefined : tombstoneFromRow(row);
};

/** Returns this node's active tombstone for exactly this entity and scope. */
export const activeTombstone = async (
  own: ReadableTables,
  { tenantId, entityKey, scope, signedBy }: Pick<Tombstone, 'tenantId' | 'entityKey' | 'scope' | 'signedBy'>,
): Promise<Tombstone | undefined> => {
  const same = { tenant_id: tenantId, entity_key: entityKey, scope, signed_by: signedBy };
  const row = await own(MARKERS).where(same).whereNull('revoked_ms').first();
  return row === undefined ? undefined : tombstoneFromRow(row);
};

/** Returns the tombstones of this node in all tenants, with revoked ones. */
export const ownTombstones = async (own: ReadableTables, nodeId: string): Promise<Tombstone[]> =>
  (await own(MARKERS).where({ signed_by: nodeId }).whereNull('received_from')).map(tombstoneFromRow);

/** Returns an entity's tombstones, newest first, with one beyond the limit if there are more. */
export const tombstonesOfEntity = async (
  own: ReadableTables,
  tenantId: string,
  entityKey: string,
): Promise<Tombstone[]> => {
  const rows = await own(MARKERS)
    .where({ tenant_id: tenantId, entity_key: entityKey })
    .orderBy('created_ms', 'desc')
    .orderBy('tombstone_id', 'desc')
    .limit(MAX_TOMBSTONES_SHOWN + 1);
  return rows.map(tombstoneFromRow);
};

export const isActive = async (own: ReadableTables, tenantId: string, entityKey: string): Promise<boolean> => {
  const of = { tenant_id: tenantId, entity_key: entityKey };
  return (await own(MARKERS).where(of).whereNull('revoked_ms').first('tombstone_id')) !== undefined;
};

/**
 * Returns true if a legal hold of this node covers facts that this tombstone hides. Legal holds of peers are ignored.
 */
export const isHeld = async (
  own: ReadableTables,
  { tenantId, entityKey, scope }: Pick<Tombstone, 'tenantId' | 'entityKey' | 'scope'>,
): Promise<boolean> => {
  const query = own(MARKERS)
    .where({ tenant_id: tenantId, entity_key: entityKey, legal_hold: 1 })
    .whereNull('received_from')
    .whereNull('revoked_ms');
  if (scope !== '*') query.whereIn('scope', ['*', scope]);
  return (await query.first('tombstone_id')) !== undefined;
};

export const revocationsOf = async (
  own: ReadableTables,
  tenantId: string,
  tombstoneIds: readonly string[],
): Promise<TombstoneRevocation[]> => {
  if (tombstoneIds.length === 0) return [];
  const rows = await own.select(REVOCATIONS, { tenant_id: tenantId, tombstone_id: tombstoneIds });
  const byTombstone = new Map(rows.map((row) => [row['tombstone_id'], revocationFromRow(row)]));
  return tombstoneIds.flatMap((id) => byTombstone.get(id) ?? []);
};

/** Returns the newest tombstones first. */
export const newestTombstones = async (
  own: ReadableTables,
  tenantId: string,
  { after, limit }: { readonly after?: TombstonePosition | undefined; readonly limit: number },
): Promise<Tombstone[]> => {
  const query = own(MARKERS)
    .where({ tenant_id: tenantId })
    .orderBy('created_ms', 'desc')
    .orderBy('tombstone_id', 'desc')
    .limit(limit);
  if (after !== undefined) {
    query
      .where('created_ms', '<=', after.createdMs)
      .whereNot((tie) => tie.where('created_ms', after.createdMs).where('tombstone_id', '>=', after.id));
  }
  return (await query).map(tombstoneFromRow);
};

/**
 * Stores a tombstone and hides the facts of its entity. If it names a node, it hides only facts of that node. It also
 * hides all system facts that may be about them, until its batches have found those that are.
 */
export const insertTombstone = async (
  own: WritableTables,
  tombstone: Tombstone,
  { feed, originNodeId = '' }: { readonly feed: Hlc; readonly originNodeId?: string },
): Promise<void> => {
  const follow = { followed_number: 0, ...stampOf(feed) };
  await own.insertRows(MARKERS, [{ ...rowOfTombstone(tombstone), ...follow }]);
  await hideEntity(own, tombstone, originNodeId);
  await hideAllAboutConflicts(own, tombstone);
  await hideAllAboutFacts(own, tombstone);
};

/** Stores the revocation of a tombstone, and shows its facts again. */
export const insertRevocation = async (
  own: WritableTables,
  { tenantId, id }: Named,
  revocation: TombstoneRevocation,
  { nowMs, feed }: { readonly nowMs: number; readonly feed: Hlc },
): Promise<void> => {
  const named = { tenant_id: tenantId, tombstone_id: id };
  const follow = { followed_number: 0, ...stampOf(feed) };
  await own(MARKERS)
    .where(named)
    .update({ revoked_ms: nowMs, ...follow });
  await own.insertRows(REVOCATIONS, [rowOfRevocation({ ...revocation, tombstoneId: id }, tenantId)]);
  for (const table of [HIDDEN, HIDDEN_SYSTEM_FACTS]) await own(table).where(named).delete();
};

/**
 * Replaces a tombstone by its issuer's new version, which has another signature, or records that the issuer has
 * destroyed the facts. Peers get it again.
 */
export const updateMarker = async (own: WritableTables, tombstone: Tombstone, feed: Hlc): Promise<void> => {
  const { tenantId, id, keyId, signature, reason, erase } = tombstone;
  await own(MARKERS)
    .where({ tenant_id: tenantId, tombstone_id: id })
    .update({ erase: erase ? 1 : 0, reason, key_id: keyId, signature, ...stampOf(feed) });
};

/** Replaces the signature of a revocation, unless another revocation is stored. Returns whether it was replaced. */
export const updateRevocation = async (
  own: WritableTables,
  { tenantId, id }: Named,
  { id: revocationId, signedBy, reason, createdAt, keyId, signature }: TombstoneRevocation,
): Promise<boolean> => {
  const same = { revocation_id: revocationId, signed_by: signedBy, reason, created_at: createdAt };
  const rows = await own(REVOCATIONS)
    .where({ tenant_id: tenantId, tombstone_id: id, ...same })
    .whereNot({ key_id: keyId })
    .update({ key_id: keyId, signature });
  return rows > 0;
};

export const updateErased = async (own: WritableTables, tombstone: Tombstone, feed: Hlc): Promise<void> => {
  const { tenantId, id, keyId, signedBy, signature, erasedMs } = tombstone;
  await own(MARKERS)
    .where({ tenant_id: tenantId, tombstone_id: id })
    .update({ erase: 1, erased_ms: erasedMs, key_id: keyId, signed_by: signedBy, signature, ...stampOf(feed) });
};

/** Records a later erasure of the same tombstone. Facts that were stored before it count as destroyed as well. */
export const raiseErased = async (own: WritableTables, { tenantId, id }: Named, erasedMs: number): Promise<void> => {
  await own(MARKERS)
    .where({ tenant_id: tenantId, tombstone_id: id })
    .where('erased_ms', '<', erasedMs)
    .update({ erased_ms: erasedMs });
};

const stampOf = ({ wallMs, counter }: Hlc) => ({ feed_wall: wallMs, feed_ctr: counter });

/** Returns tombstones of peers that have destroyed their facts, although this node has not yet, in a fixed order. */
export const erasedByPeers = async (
  own: ReadableTables,
  after: Named | undefined,
  limit: number,
): Promise<Tombstone[]> => {
  const query = own(MARKERS)
    .where({ erase: 1 })
    .whereNotNull('received_from')
    .whereNull('erased_ms')
    .whereNull('revoked_ms')
    .orderBy(['tenant_id', 'tombstone_id'])
    .limit(limit);
  if (after !== undefined) {
    query
      .where('tenant_id', '>=', after.tenantId)
      .whereNot((before) => before.where('tenant_id', after.tenantId).where('tombstone_id', '<=', after.id));
  }
  return (await query).map(tombstoneFromRow);
};
