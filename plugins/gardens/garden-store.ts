import type { Knex } from 'knex';
import { portions } from '../../kernel/internal-api.ts';
import type { Principal, ReadableTables, ServiceNames, SqlValue, WritableTables } from '../../kernel/plugin-api.ts';
import { principalKey } from '../keys/keys-api.ts';
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
import { GARDENS, MEMBERS } from './gardens-migrations.ts';
import { membershipsOf } from './member-key.ts';
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
  for (const some of portions(ids, IDS_PER_SELECT)) {
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

/** Returns active gardens, oldest first: those of the caller, and for a key with `admin` those of its tenant. */
export const listGardens = async (own: ReadableTables, caller: Principal, names: ServiceNames): Promise<Garden[]> => {
  const query = own(GARDENS).where('tenant_id', caller.tenantId).whereNotNull('active_slug');
  if (!caller.permissions.has('admin')) {
    const ids = (await own.select(MEMBERS, membershipsOf(caller, names))).map((row) => row['garden_id']);
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
  names: ServiceNames,
): Promise<Role | undefined> => {
  if (permissions.has('admin')) return 'admin';
  return (await memberOf(own, { id: gardenId, tenantId }, principalKey(entityUri, names)))?.role;
};

type GardenKey = Pick<Garden, 'id' | 'tenantId'>;

export const memberOf = async (
  own: ReadableTables,
  { id, tenantId }: GardenKey,
  entityKey: string,
): Promise<Member | undefined> => {
  const [row] = await own.select(MEMBERS, { tenant_id: tenantId, garden_id: id, entity_key: entityKey });
  return row === undefined ? undefined : memberFromRow(row);
};

/** Returns the roles of several callers of one tenant, with one statement. */
export const rolesOf = async (
  own: ReadableTables,
  tenantId: string,
  gardenIds: readonly string[],
  entityUris: readonly string[],
  names: ServiceNames,
): Promise<(gardenId: string, caller: Principal) => Role | undefined> => {
  const keys = new Map(entityUris.map((entityUri) => [entityUri, principalKey(entityUri, names)]));
  const entityKeys = [...new Set(keys.values())];
  const rows = await own.select(MEMBERS, { tenant_id: tenantId, garden_id: gardenIds, entity_key: entityKeys });
  const roles = new Map(
    rows.map(memberFromRow).map((member) => [keyOf(member.gardenId, member.entityKey), member.role]),
  );
  return (gardenId, { entityUri, permissions }) =>
    permissions.has('admin') ? 'admin' : roles.get(keyOf(gardenId, keys.get(entityUri) ?? ''));
};

/** Returns a map key. It is unambiguous, because a garden identifier contains no space. */
const keyOf = (gardenId: string, entityKey: string): string => `${gardenId} ${entityKey}`;

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

const keyOfMember = ({ tenantId, gardenId, entityKey }: Member) => ({
  tenant_id: tenantId,
  garden_id: gardenId,
  entity_key: entityKey,
});

/** Deletes a garden and its members. Its facts still refer to it, but no caller may enter it any more. */
export const markDeleted = async (own: WritableTables, { id, tenantId }: GardenKey, nowMs: number): Promise<void> => {
  const where = { tenant_id: tenantId, garden_id: id };
  await own(MEMBERS).where(where).delete();
  await own(GARDENS).where(where).update({ active_slug: null, deleted_ms: nowMs });
};

/** Counts the active gardens that count against the holder's limit, up to `limit`. */
export const createdCount = (
  own: ReadableTables,
  tenantId: string,
  holderUri: string,
  limit: number,
): Promise<number> =>
  countUpTo(own(GARDENS).where({ tenant_id: tenantId, holder_uri: holderUri }).whereNotNull('active_slug'), limit);

/** Counts the gardens that the entity is a member of, up to `limit`. Deleted gardens have no members. */
export const membershipCount = (
  own: ReadableTables,
  tenantId: string,
  entityKey: string,
  limit: number,
): Promise<number> => countUpTo(own(MEMBERS).where({ tenant_id: tenantId, entity_key: entityKey }), limit);

/** Counts the members of a garden in its index. */
export const memberCount = async (own: ReadableTables, { id, tenantId }: GardenKey): Promise<number> => {
  const query = own(MEMBERS).where({ tenant_id: tenantId, garden_id: id }).count({ n: '*' });
  const [row] = (await query) as { n: number | string }[];
  return Number(row?.n ?? 0);
};

const countUpTo = async (query: Knex.QueryBuilder, limit: number): Promise<number> =>
  ((await query.limit(limit).select('garden_id')) as unknown[]).length;

/** Returns the gardens in which the caller is an admin or a writer. */
export const gardensWrittenBy = async (
  own: ReadableTables,
  caller: Principal,
  names: ServiceNames,
): Promise<readonly Garden[]> => {
  const rows = await own.select(MEMBERS, { ...membershipsOf(caller, names), role: WRITING_ROLES });
  const ids = rows.map((row) => String(row['garden_id']));
  return [...(await gardensById(own, caller.tenantId, ids)).values()];
};

const WRITING_ROLES: readonly Role[] = ['admin', 'writer'];

/** Returns true if another member is an admin of the garden. Reads one row, because a garden may have many admins. */
export const hasOtherAdmin = async (
  own: ReadableTables,
  { tenantId, gardenId, entityKey }: Member,
): Promise<boolean> => {
  const admins = own(MEMBERS).where({ tenant_id: tenantId, garden_id: gardenId, role: 'admin' });
  return (await admins.whereNot('entity_key', entityKey).first('entity_key')) !== undefined;
};

/** Returns the gardens whose facts a member may read, by one look-up in a covering index. */
export const readableGardens = async (own: ReadableTables, caller: Principal, names: ServiceNames): Promise<string[]> =>
  (await own.select(MEMBERS, { ...membershipsOf(caller, names), reads: 1 })).map((row) => String(row['garden_id']));
