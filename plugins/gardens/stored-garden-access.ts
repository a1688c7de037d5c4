import { type EnteredGarden, refuseGarden } from '../../kernel/internal-api.ts';
import {
  type GardenAccess,
  memberRefusal,
  type NodeSelf,
  type PluginTables,
  type Principal,
  type ReadableTables,
  type Scope,
  ServiceError,
} from '../../kernel/plugin-api.ts';
import { readGardenName } from './garden-name.ts';
import type { Garden, Role } from './garden-row.ts';
import { activeBySlug, gardensById, gardensWrittenBy, listGardens, readableGardens, roleOf } from './garden-store.ts';
import type { MemberPresence } from './member-presence.ts';

/** Reads memberships from the snapshot of each query, so that a removed member sees nothing in later snapshots. */
export const createGardenAccess = (tables: PluginTables, self: NodeSelf, presence: MemberPresence): GardenAccess => ({
  async readable(caller, snapshot) {
    // The node itself is a member of no garden.
    if (caller.kind === 'node') return [];
    if (caller.permissions.has('admin')) return 'all';
    return presence.none ? [] : readableGardens(tables.in(snapshot), caller, self.names);
  },
  async enter(name, caller, snapshot) {
    const own = tables.in(snapshot);
    const garden = await findGarden(own, name, caller, self);
    // Runs even for an unknown garden, so that timing does not reveal which gardens exist.
    const role = await roleOf(own, garden?.id ?? NO_GARDEN, caller, self.names);
    return garden === undefined || role === undefined ? undefined : entered(garden, role);
  },
  async writable(caller, snapshot) {
    if (caller.kind === 'node' || presence.none) return [];
    const own = tables.in(snapshot);
    const gardens = caller.permissions.has('admin')
      ? await listGardens(own, caller, self.names)
      : await gardensWrittenBy(own, caller, self.names);
    return gardens.filter(({ quarantine, deletedMs }) => !quarantine && deletedMs === null).map(({ id }) => id);
  },
  async administered(gardenIds, caller, snapshot) {
    const own = tables.in(snapshot);
    const administered: string[] = [];
    for (const id of gardenIds) if ((await roleOf(own, id, caller, self.names)) === 'admin') administered.push(id);
    return administered;
  },
});

/** Finds a named garden of the caller's tenant. Only an admin key finds a deleted one, by its UUID. */
export const findGarden = async (
  own: ReadableTables,
  name: string,
  caller: Principal,
  self: NodeSelf,
): Promise<Garden | undefined> => {
  let first: Garden | undefined;
  // Tries all names each time, because the number of look-ups must not reveal whether a garden exists.
  for (const reference of readGardenName(name, self)) {
    const garden =
      'slug' in reference
        ? await activeBySlug(own, caller.tenantId, reference.slug)
        : (await gardensById(own, caller.tenantId, [reference.id])).get(reference.id);
    if (garden !== undefined && (garden.deletedMs === null || caller.permissions.has('admin'))) first ??= garden;
  }
  return first;
};

/** Returns the garden with the rights of a role: admins and writers may store facts, and all roles may enter. */
export const entered = ({ id, scope, deletedMs }: Garden, role: Role): EnteredGarden => ({
  id,
  scope,
  mayWrite: deletedMs === null && (role === 'admin' || role === 'writer'),
});

/**
 * Returns the refusal for a caller who may enter a garden but cannot store a fact of this scope in it, or null. An
 * admin key may write to every active garden. `path` names the body.
 */
export const refuseGardenWrite = (
  { scope, mayWrite }: EnteredGarden,
  of: Scope,
  caller: Principal,
  path: string,
): ServiceError | null => {
  if (!mayWrite) {
    return caller.permissions.has('admin')
      ? refuseGarden(caller)
      : new ServiceError('authorization', 'the key may read this garden but not write to it');
  }
  return scope === of ? null : memberRefusal(`${path}.scope`, 'must be the scope of the garden');
};

const NO_GARDEN = '';
