import type { Knex } from 'knex';
import type { Principal, ReadableTables, SqlValue, WritableTables } from '../../kernel/plugin-api.ts';
import {
  type Garden,
  gardenFromRow,
  type Member,
  memberFromRow,
  type Role,
  readsFacts,
  rowOfGarden,
  rowOfMember,
} from './garden-row.ts';
import { GARDENS, MEMBERS, QUARANTINED } from './gardens-migrations.ts';
import { MEMBERS_ADDED } from './member-presence.ts';

/** The maximum number of ids per query. Larger queries are split. */
const IDS_PER_SELECT = 500;

/** Functions for stored gardens and their members. Each works on the tables of a snapshot or a transaction. */

/** Returns gardens of the tenant by id, deleted ones included. Leaves out unknown ids. */
export const gardensById = async (
  own: ReadableTables,
  tenantId: string,
  ids: readonly string[],
): Promise<Map<string, Garden>> => {
  const found = new Map<string, Garden>();
  for (let at = 0; at < ids.length; at += IDS_PER_SELECT) {
    const some = ids.slice(at, at + IDS_PER_SELECT);
    const rows = await own.select(GARDENS, { tenant_id: tenantId, garden_id: some });
    for (const garden of rows.map(gardenFromRow)) found.set(garden.id, garden);
  }
  return found;
};

export const activeBySlug = async (
  own: ReadableTables,
  tenantId: string,
  slug: string,
): Promise<Garden | undefined> => {
  const [row] = await own.select(GARDENS, { tenant_id: tenantId, active_slug: slug });
  return row === undefined ? undefined : gardenFromRow(row);
};

/** Returns active gardens of the tenant, oldest first: those of a member, or all. */
export const listGardens = async (
  own: ReadableTables,
  tenantId: string,
  member: string | undefined,
): Promise<Garden[]> => {
  const query = own(GARDENS).where('tenant_id', tenantId).whereNotNull('active_slug');
  if (member !== undefined) {
    const ids = (await own.select(MEMBERS, { tenant_id: tenantId, entity_uri: member })).map((row) => row['garden_id']);
    query.whereIn('garden_id', ids as string[]);
  }
  const rows = (await query.orderBy('created_ms').orderBy('garden_id')) as Record<string, SqlValue>[];
  return rows.map(gardenFromRow);
};

/**
 * Returns the role of the caller; undefined for a caller who is no member. An admin key acts as an admin of every
 * garden of its tenant.
 */
export const roleOf = async (
  own: ReadableTables,
  gardenId: string,
  { tenantId, entityUri, permissions }: Principal,
): Promise<Role | undefined> => {
  if (permissions.has('admin')) return 'admin';
  return (await memberOf(own, { id: gardenId, tenantId }, entityUri))?.role;
};

type GardenKey = Pick<Garden, 'id' | 'tenantId'>;

export const memberOf = async (
  own: ReadableTables,
  { id, tenantId }: GardenKey,
  entityUri: string,
): Promise<Member | undefined> => {
  const [row] = await own.select(MEMBERS, { tenant_id: tenantId, garden_id: id, entity_uri: entityUri });
  return row === undefined ? undefined : memberFromRow(row);
};

/** Returns the roles of several callers of one tenant, with one statement. */
export const rolesOf = async (
  own: ReadableTables,
  tenantId: string,
  gardenIds: readonly string[],
  entityUris: readonly string[],
): Promise<(gardenId: string, caller: Principal) => Role | undefined> => {
  const rows = await own.select(MEMBERS, { tenant_id: tenantId, garden_id: gardenIds, entity_uri: entityUris });
  const roles = new Map(
    rows.map(memberFromRow).map((member) => [keyOf(member.gardenId, member.entityUri), member.role]),
  );
  return (gardenId, { entityUri, permissions }) =>
    permissions.has('admin') ? 'admin' : roles.get(keyOf(gardenId, entityUri));
};

/** Returns a map key. It is unambiguous, because a garden identifier contains no space. */
const keyOf = (gardenId: string, entityUri: string): string => `${gardenId} ${entityUri}`;

/** Returns the members of a garden in the order of joining. */
export const membersOf = async (own: ReadableTables, { id, tenantId }: GardenKey): Promise<Member[]> =>
  (await own.select(MEMBERS, { tenant_id: tenantId, garden_id: id }))
    .map(memberFromRow)
    .sort((a, b) => a.addedMs - b.addedMs || (a.entityUri < b.entityUri ? -1 : 1));

export const insertGarden = (own: WritableTables, garden: Garden): Promise<void> =>
  own.insertRows(GARDENS, [rowOfGarden(garden)]);

export const insertMembers = async (own: WritableTables, members: readonly Member[], garden: Garden): Promise<void> => {
  if (members.length === 0) return;
  own.signal(MEMBERS_ADDED);
  await own.insertRows(
    MEMBERS,
    members.map((member) => rowOfMember(member, garden)),
  );
};

export const changeRole = async (own: WritableTables, member: Member, role: Role, garden: Garden): Promise<void> => {
  await own(MEMBERS)
    .where(keyOfMember(member))
    .update({ role, reads: readsFacts(role, garden) ? 1 : 0 });
};

export const removeMember = async (own: WritableTables, member: Member): Promise<void> => {
  await own(MEMBERS).where(keyOfMember(member)).delete();
};

const keyOfMember = ({ tenantId, gardenId, entityUri }: Member) => ({
  tenant_id: tenantId,
  garden_id: gardenId,
  entity_uri: entityUri,
});

/** Deletes a garden and its members. Its facts still refer to it, but no caller may enter it any more. */
export const markDeleted = async (own: WritableTables, { id, tenantId }: GardenKey, nowMs: number): Promise<void> => {
  const where = { tenant_id: tenantId, garden_id: id };
  await own(MEMBERS).where(where).delete();
  await own(GARDENS).where(where).update({ active_slug: null, deleted_ms: nowMs });
};

/** Counts the active gardens that the entity has created, up to `limit`. */
export const createdCount = (
  own: ReadableTables,
  tenantId: string,
  entityUri: string,
  limit: number,
): Promise<number> =>
  countUpTo(own(GARDENS).where({ tenant_id: tenantId, created_by: entityUri }).whereNotNull('active_slug'), limit);

/** Counts the gardens that the entity is a member of, up to `limit`. Deleted gardens have no members. */
export const membershipCount = (
  own: ReadableTables,
  tenantId: string,
  entityUri: string,
  limit: number,
): Promise<number> => countUpTo(own(MEMBERS).where({ tenant_id: tenantId, entity_uri: entityUri }), limit);

const countUpTo = async (query: Knex.QueryBuilder, limit: number): Promise<number> =>
  ((await query.limit(limit).select('garden_id')) as unknown[]).length;

export const hasPending = async (own: ReadableTables, { id, tenantId }: Garden): Promise<boolean> => {
  const row = await own(QUARANTINED).where({ tenant_id: tenantId, garden_id: id, status: 'pending' }).first('fact_id');
  return row !== undefined;
};

/** Returns the gardens in which the caller is an admin or a writer. */
export const gardensWrittenBy = async (
  own: ReadableTables,
  { tenantId, entityUri }: Principal,
): Promise<readonly Garden[]> => {
  const rows = await own.select(MEMBERS, { tenant_id: tenantId, entity_uri: entityUri, role: WRITING_ROLES });
  const ids = rows.map((row) => String(row['garden_id']));
  return [...(await gardensById(own, tenantId, ids)).values()];
};

const WRITING_ROLES: readonly Role[] = ['admin', 'writer'];

/** Returns true if another member is an admin of the garden. */
export const hasOtherAdmin = async (
  own: ReadableTables,
  { tenantId, gardenId, entityUri }: Member,
): Promise<boolean> => {
  const admins = await own.select(MEMBERS, { tenant_id: tenantId, garden_id: gardenId, role: 'admin' });
  return admins.some((row) => row['entity_uri'] !== entityUri);
};

/** Returns the gardens whose facts a member may read, by one look-up in a covering index. */
export const readableGardens = async (own: ReadableTables, { tenantId, entityUri }: Principal): Promise<string[]> =>
  (await own.select(MEMBERS, { tenant_id: tenantId, entity_uri: entityUri, reads: 1 })).map((row) =>
    String(row['garden_id']),
  );
