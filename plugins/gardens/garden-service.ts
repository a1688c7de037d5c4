import { limitedEntity } from '../../kernel/internal-api.ts';
import {
  all,
  type Clock,
  type Facts,
  type Filter,
  type HookCaller,
  type NodeSelf,
  type PluginTables,
  type PluginTransaction,
  type Principal,
  type Random,
  type ReadableTables,
  readEntityUri,
  requirePermission,
  SCOPES,
  ServiceError,
  type WritableTables,
} from '../../kernel/plugin-api.ts';
import { ADMIN_ACTION, type AuditEntry, type AuditLog } from '../audit/audit-api.ts';
import { principalKey } from '../keys/keys-api.ts';
import { requireRoomInGarden, requireRoomToCreate, requireRoomToJoin } from './garden-limits.ts';
import type { Garden, Member, Role } from './garden-row.ts';
import {
  activeBySlug,
  changeRole,
  hasOtherAdmin,
  insertGarden,
  insertMembers,
  listGardens,
  markDeleted,
  memberOf,
  membersOf,
  removeMember,
  roleOf,
} from './garden-store.ts';
import { type GardenDraft, type Gardens, type GardenWithMembers, gardenCreated } from './gardens-api.ts';
import { LAST_ADMIN, QUARANTINE_HAS_PENDING_FACTS } from './gardens-words.ts';
import { heldIn } from './list-quarantined.ts';
import { readGardenDraft, readRole } from './read-garden-draft.ts';
import { findGarden } from './stored-garden-access.ts';

export interface GardenServiceParts {
  readonly facts: Pick<Facts, 'read'>;
  readonly tables: PluginTables;
  readonly hooks: HookCaller;
  readonly clock: Clock;
  readonly random: Random;
  readonly self: NodeSelf;
  readonly audit: AuditLog | undefined;
  /** The maximum number of gardens that an entity may create. */
  readonly maxGardens: number;
}

type GardenWork<T> = (own: WritableTables, garden: Garden, transaction: PluginTransaction) => Promise<T>;

type GardenRole = { readonly garden: Garden; readonly role: Role };

export class GardenService implements Gardens {
  readonly #parts: GardenServiceParts;

  constructor(parts: GardenServiceParts) {
    this.#parts = parts;
  }

  async create(caller: Principal, draft: GardenDraft): Promise<GardenWithMembers> {
    requirePermission(caller, 'write');
    const given = readGardenDraft(draft);
    if (!caller.allowedScopes.has(given.scope)) {
      throw new ServiceError('authorization', `the key may not make a garden of scope ${given.scope}`);
    }
    const { tables, clock, random, hooks, maxGardens } = this.#parts;
    const { tenantId, entityUri } = caller;
    const garden: Garden = {
      ...given,
      id: random.uuid(),
      tenantId,
      createdBy: entityUri,
      holderUri: limitedEntity(caller),
      createdMs: clock.nowMs(),
      deletedMs: null,
    };
    const founder = this.#memberBy(caller, garden, { entityUri, role: 'admin' }, garden.createdMs);
    await tables.write(tenantId, async (own, transaction) => {
      if ((await activeBySlug(own, tenantId, garden.slug)) !== undefined) {
        throw new ServiceError('conflict', `there is a garden ${garden.slug} already: choose another slug`);
      }
      await requireRoomToCreate(own, caller, maxGardens);
      await requireRoomToJoin(own, tenantId, founder.entityKey);
      await insertGarden(own, garden);
      await insertMembers(own, [founder], garden);
      await this.#audit('garden_create', garden, caller, transaction, { scope: garden.scope });
      const { id: gardenId, slug, scope, createdMs } = garden;
      await hooks.collect(gardenCreated, {
        gardenId,
        tenantId,
        slug,
        scope,
        createdBy: entityUri,
        createdMs,
        transaction,
      });
    });
    return { garden, members: [founder] };
  }

  async list(caller: Principal): Promise<readonly Garden[]> {
    requirePermission(caller, 'read');
    const { tables, self } = this.#parts;
    return tables.read((own) => listGardens(own, caller, self.names));
  }

  async get(caller: Principal, name: string): Promise<GardenWithMembers> {
    requirePermission(caller, 'read');
    return this.#withMembers(name, caller);
  }

  async members(caller: Principal, name: string): Promise<readonly Member[]> {
    return (await this.#withMembers(name, caller)).members;
  }

  #withMembers(name: string, caller: Principal): Promise<GardenWithMembers> {
    return this.#parts.tables.read(async (own) => {
      const { garden } = await this.enter(own, name, caller);
      return { garden, members: await membersOf(own, garden) };
    });
  }

  async delete(caller: Principal, name: string): Promise<void> {
    requirePermission(caller, DELETES);
    const decidable = await this.#decidable(caller);
    return this.#administer(name, caller, async (own, garden, transaction) => {
      if (garden.quarantine && (await transaction.count(all(decidable, heldIn([garden.id], 'pending')))) > 0) {
        const open = 'facts are pending in this garden: promote or reject them first';
        throw new ServiceError(QUARANTINE_HAS_PENDING_FACTS, open);
      }
      await markDeleted(own, garden, this.#parts.clock.nowMs());
      await this.#audit('garden_delete', garden, caller, transaction);
    });
  }

  /** Matches the facts that some moderator may decide about, in any scope. A tombstone hides the others. */
  #decidable(caller: Principal): Promise<Filter> {
    const moderator: Principal = { ...caller, permissions: new Set(['admin', 'read']), allowedScopes: new Set(SCOPES) };
    return this.#parts.facts.read(moderator, 'query', (reader) => reader.constraint('visible'));
  }

  async addMember(caller: Principal, name: string, asked: { entityUri: string; role: Role }): Promise<Member> {
    const given = { entityUri: readEntityUri(asked.entityUri, 'body.entity_uri'), role: readRole(asked.role) };
    return this.#administer(name, caller, async (own, garden, transaction) => {
      const member = this.#memberBy(caller, garden, given, this.#parts.clock.nowMs());
      if ((await memberOf(own, garden, member.entityKey)) !== undefined) {
        throw new ServiceError('conflict', 'this entity is a member already: change its role instead');
      }
      await requireRoomInGarden(own, garden);
      await requireRoomToJoin(own, garden.tenantId, member.entityKey);
      await insertMembers(own, [member], garden);
      await this.#audit('garden_member_add', garden, caller, transaction, detailOf(member));
      return member;
    });
  }

  async changeMember(caller: Principal, name: string, entity: string, to: Role): Promise<Member> {
    const [entityKey, role] = [this.#keyIn(entity), readRole(to)];
    return this.#administer(name, caller, async (own, garden, transaction) => {
      const member = await requireMember(own, garden, entityKey);
      if (member.role === role) return member;
      if (member.role === 'admin') await requireOtherAdmin(own, member);
      await changeRole(own, member, role, garden);
      const changed = { ...member, role };
      await this.#audit('garden_member_change', garden, caller, transaction, detailOf(changed));
      return changed;
    });
  }

  async removeMember(caller: Principal, name: string, entity: string): Promise<void> {
    const entityKey = this.#keyIn(entity);
    const isLeaving = entityKey === principalKey(caller.entityUri, this.#parts.self.names);
    return this.#change(name, caller, isLeaving, async (own, garden, transaction) => {
      const member = await requireMember(own, garden, entityKey);
      if (member.role === 'admin') await requireOtherAdmin(own, member);
      await removeMember(own, member);
      await this.#audit('garden_member_remove', garden, caller, transaction, detailOf(member));
    });
  }

  /** Returns an active garden with the caller's role in it. */
  async enter(own: ReadableTables, name: string, caller: Principal): Promise<GardenRole> {
    const { self } = this.#parts;
    const garden = await findGarden(own, name, caller, self);
    const role = await roleOf(own, garden?.id ?? '', caller, self.names);
    if (garden === undefined || garden.deletedMs !== null || role === undefined) throw noSuchGarden();
    return { garden, role };
  }

  #administer<T>(name: string, caller: Principal, work: GardenWork<T>): Promise<T> {
    return this.#change(name, caller, false, work);
  }

  /** Changes a garden in a transaction. `isOwnBusiness` allows every member to do it; otherwise only admins may. */
  #change<T>(name: string, caller: Principal, isOwnBusiness: boolean, work: GardenWork<T>): Promise<T> {
    return this.#parts.tables.write(caller.tenantId, async (own, transaction) => {
      const { garden, role } = await this.enter(own, name, caller);
      if (role !== 'admin' && !isOwnBusiness)
        throw new ServiceError('authorization', 'only an admin of the garden may do this');
      return work(own, garden, transaction);
    });
  }

  #keyIn(entity: string): string {
    return principalKey(readEntityUri(entity, 'path.entity_uri'), this.#parts.self.names);
  }

  #memberBy(
    { entityUri: addedBy }: Principal,
    { tenantId, id: gardenId }: Garden,
    given: { readonly entityUri: string; readonly role: Role },
    addedMs: number,
  ): Member {
    const entityKey = principalKey(given.entityUri, this.#parts.self.names);
    return { tenantId, gardenId, ...given, entityKey, addedBy, addedMs };
  }

  async #audit(
    action: string,
    garden: Garden,
    caller: Principal,
    transaction: PluginTransaction,
    detail: AuditEntry['detail'] = {},
  ): Promise<void> {
    await this.#parts.audit?.record(
      {
        event: ADMIN_ACTION,
        tenantId: garden.tenantId,
        entityUri: caller.entityUri,
        oidcSub: caller.oidcSub,
        detail: { action, garden_id: garden.id, slug: garden.slug, ...detail },
      },
      transaction,
    );
  }
}

/**
 * The permissions to delete a garden. One suffices, because `admin` does not imply `write`. A key with `admin` needs no
 * membership.
 */
export const DELETES = ['write', 'admin'] as const;

export const noSuchGarden = (): ServiceError => new ServiceError('lookup', 'there is no such garden');

const requireMember = async (own: ReadableTables, garden: Garden, entityKey: string): Promise<Member> => {
  const member = await memberOf(own, garden, entityKey);
  if (member === undefined) throw new ServiceError('lookup', 'this entity is no member of the garden');
  return member;
};

const requireOtherAdmin = async (own: ReadableTables, member: Member): Promise<void> => {
  if (await hasOtherAdmin(own, member)) return;
  throw new ServiceError(LAST_ADMIN, 'a garden keeps one admin: make another member one first');
};

const detailOf = ({ entityUri, role }: Member) => ({ target_entity_uri: entityUri, role });
