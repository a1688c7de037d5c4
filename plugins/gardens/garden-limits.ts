import { limitedEntity } from '../../kernel/internal-api.ts';
import { type Principal, type ReadableTables, ServiceError } from '../../kernel/plugin-api.ts';
import type { Garden } from './garden-row.ts';
import { createdCount, memberCount, membershipCount } from './garden-store.ts';

/** The maximum number of gardens that an entity may be a member of. */
export const MAX_MEMBERSHIPS = 1_000;
/** The maximum number of members of a garden, because a request for the garden reads all of them. */
export const MAX_MEMBERS = 10_000;

/**
 * Throws `limit_reached` if the caller, or the person behind it with all programs, has created too many gardens.
 * Deleted gardens do not count, and admins have no limit.
 */
export const requireRoomToCreate = async (
  own: ReadableTables,
  caller: Principal,
  maxGardens: number,
): Promise<void> => {
  if (caller.permissions.has('admin')) return;
  if ((await createdCount(own, caller.tenantId, limitedEntity(caller), maxGardens)) < maxGardens) return;
  throw new ServiceError('limit_reached', `an entity makes at most ${maxGardens} gardens`, {
    hint: 'delete one that is not needed any more, or let an administrator make it',
  });
};

/** Throws `limit_reached` if the entity is a member of too many gardens. */
export const requireRoomToJoin = async (own: ReadableTables, tenantId: string, entityKey: string): Promise<void> => {
  if ((await membershipCount(own, tenantId, entityKey, MAX_MEMBERSHIPS)) < MAX_MEMBERSHIPS) return;
  throw new ServiceError('limit_reached', `an entity is a member of at most ${MAX_MEMBERSHIPS} gardens`, {
    hint: 'it leaves one of them first: DELETE /v1/gardens/{garden}/members/{entity_uri}',
  });
};

/** Throws `limit_reached` if the garden has too many members. */
export const requireRoomInGarden = async (own: ReadableTables, garden: Garden): Promise<void> => {
  if ((await memberCount(own, garden)) < MAX_MEMBERS) return;
  throw new ServiceError('limit_reached', `a garden has at most ${MAX_MEMBERS} members`, {
    hint: 'remove members that need it no more, or make a second garden',
  });
};
