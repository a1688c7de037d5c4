import { hasForbiddenCodePoint } from '../../../kernel/internal-api.ts';
import {
  formatInstant,
  matchKey,
  type NodeSelf,
  type PluginSnapshot,
  type PluginTransaction,
  type Principal,
  type Random,
  readEntityUri,
  requireLimit,
  requirePermission,
  ServiceError,
  SUPPRESSION_CHANGED,
} from '../../../kernel/plugin-api.ts';
import type { AuditEntry, AuditLog } from '../../audit/audit-api.ts';
import type { NodeIdentity } from '../../node-info/node-info-api.ts';
import { type FollowUpParts, followPiece, followUp } from '../suppression/follow-up.ts';
import type {
  EntityTombstones,
  Tombstone,
  TombstoneDraft,
  TombstonePage,
  TombstonePosition,
  TombstoneRevocation,
  Tombstones,
} from '../tombstones-api.ts';
import { TOMBSTONE_CREATED, TOMBSTONE_ERASED, TOMBSTONE_REVOKED } from '../tombstones-words.ts';
import { signedRevocation, signedTombstone } from './marker-document.ts';
import {
  activeTombstone,
  insertRevocation,
  insertTombstone,
  isActive,
  MAX_TOMBSTONES_SHOWN,
  newestTombstones,
  revocationsOf,
  tombstoneById,
  tombstonesOfEntity,
  updateErased,
} from './marker-store.ts';
import { readReason, readTombstoneDraft } from './read-draft.ts';
import type { TombstoneJournal } from './tombstone-journal.ts';

export interface MarkerParts extends FollowUpParts {
  readonly random: Random;
  readonly self: NodeSelf;
  readonly identity: NodeIdentity;
  readonly audit: AuditLog | undefined;
  readonly isSuppressing: boolean;
  readonly journal: TombstoneJournal;
}

/** Manages the tombstones in the node's store, signed with its key. */
export class StoredTombstones implements Tombstones {
  readonly isSuppressing: boolean;
  readonly #parts: MarkerParts;

  constructor(parts: MarkerParts) {
    this.#parts = parts;
    this.isSuppressing = parts.isSuppressing;
  }

  async create(caller: Principal, draft: TombstoneDraft): Promise<Tombstone> {
    requirePermission(caller, 'admin');
    const { tables, clock, random, self, audit } = this.#parts;
    const { tenantId } = caller;
    const asked = readTombstoneDraft(draft);
    const nowMs = clock.nowMs();
    const marker = this.#signed({
      id: `tomb_${random.uuid()}`,
      originId: null,
      tenantId,
      ...asked,
      entityKey: matchKey(asked.entityUri, self.names),
      erase: false,
      signedBy: self.nodeId,
      createdAt: formatInstant(nowMs),
      createdMs: nowMs,
      revokedMs: null,
      erasedMs: null,
      receivedFrom: null,
    });
    const kept = await tables.write(tenantId, async (own, transaction) => {
      const active = await activeTombstone(own, marker);
      if (active !== undefined) return active;
      const feed = await transaction.announce(SUPPRESSION_CHANGED, [marker.id], nowMs);
      await insertTombstone(own, marker, { feed });
      await audit?.record({ ...entryOf(caller, marker), event: TOMBSTONE_CREATED }, transaction);
      await followPiece(marker, own, transaction, this.#parts);
      return marker;
    });
    // A request whose commit was not confirmed, or whose process was killed, is repeated: it finds its own tombstone.
    if (kept.erasedMs === null) await this.#parts.journal.noteTombstone(kept);
    await followUp(kept, this.#parts);
    return kept;
  }

  async of(caller: Principal, entityUri: string): Promise<EntityTombstones> {
    requirePermission(caller, 'admin');
    const { tables, self } = this.#parts;
    const { tenantId } = caller;
    const entityKey = matchKey(readEntityUri(entityUri, 'path.entity_uri'), self.names);
    return tables.read(async (own) => {
      const found = await tombstonesOfEntity(own, tenantId, entityKey);
      const tombstones = found.slice(0, MAX_TOMBSTONES_SHOWN);
      const revocations = await revocationsOf(own, tenantId, revokedAmong(tombstones));
      const isTombstoned = await isActive(own, tenantId, entityKey);
      return { isTombstoned, tombstones, revocations, isTruncated: found.length > tombstones.length };
    });
  }

  async list(
    caller: Principal,
    { after, limit }: { readonly after?: TombstonePosition | undefined; readonly limit: number },
  ): Promise<TombstonePage> {
    requirePermission(caller, 'admin');
    requireLimit(limit, MAX_LISTED);
    const { tables } = this.#parts;
    const { tenantId } = caller;
    return tables.read(async (own) => {
      const found = await newestTombstones(own, tenantId, { after, limit: limit + 1 });
      const tombstones = found.slice(0, limit);
      const revocations = await revocationsOf(own, tenantId, revokedAmong(tombstones));
      return { tombstones, revocations, more: found.length > limit };
    });
  }

  async revoke(caller: Principal, tombstoneId: string, given: string): Promise<TombstoneRevocation> {
    requirePermission(caller, 'admin');
    const reason = readReason(given);
    // The store refuses ids with U+0000 or a lone surrogate, so no tombstone has this one.
    if (hasForbiddenCodePoint(tombstoneId)) throw noSuchTombstone();
    const { tables, clock, self, audit, journal } = this.#parts;
    const { tenantId } = caller;
    const { revocation, isNew } = await tables.write(tenantId, async (own, transaction) => {
      const tombstone = await tombstoneById(own, { tenantId, id: tombstoneId });
      if (tombstone === undefined) throw noSuchTombstone();
      if (tombstone.erasedMs !== null) throw new ServiceError(TOMBSTONE_ERASED, 'its facts were destroyed for good');
      if (tombstone.revokedMs !== null) {
        return { revocation: (await revocationsOf(own, tenantId, [tombstoneId]))[0], isNew: false };
      }
      const nowMs = clock.nowMs();
      const revocation = this.#revocationOf(tombstone, reason, nowMs);
      const feed = await transaction.announce(SUPPRESSION_CHANGED, [tombstoneId], nowMs);
      await insertRevocation(own, tombstone, revocation, { nowMs, feed });
      await audit?.record({ ...entryOf(caller, tombstone), event: TOMBSTONE_REVOKED }, transaction);
      await followPiece(tombstone, own, transaction, this.#parts);
      return { revocation, isNew: true };
    });
    if (revocation?.signedBy === self.nodeId) await journal.noteRevocation(tenantId, revocation);
    if (revocation === undefined || !isNew) {
      throw new ServiceError('conflict', 'the tombstone is already revoked');
    }
    await followUp({ tenantId, id: tombstoneId }, this.#parts);
    return revocation;
  }

  byId(tenantId: string, tombstoneId: string, snapshot: PluginSnapshot): Promise<Tombstone | undefined> {
    return tombstoneById(this.#parts.tables.in(snapshot), { tenantId, id: tombstoneId });
  }

  async markErased(tombstone: Tombstone, nowMs: number, transaction: PluginTransaction): Promise<Tombstone> {
    const own = this.#parts.tables.in(transaction);
    const known = await tombstoneById(own, tombstone);
    if (known === undefined || known.revokedMs !== null) throw new Error('only an active tombstone can be erased');
    if (known.erasedMs !== null) return known;
    // Does not change another node's tombstone, because that node has signed its form.
    const { nodeId } = this.#parts.self;
    const erased = { ...known, erase: true, erasedMs: nowMs };
    const marker = known.signedBy === nodeId ? this.#signed(erased) : { ...known, erasedMs: nowMs };
    await updateErased(own, marker, await transaction.announce(SUPPRESSION_CHANGED, [marker.id], nowMs));
    return marker;
  }

  #signed(tombstone: Omit<Tombstone, 'signature' | 'keyId'>): Tombstone {
    return signedTombstone(tombstone, this.#parts.identity);
  }

  #revocationOf({ id }: Tombstone, reason: string, nowMs: number): TombstoneRevocation {
    const { random, self, identity } = this.#parts;
    const unsigned = {
      id: `tombrevoke_${random.uuid()}`,
      tombstoneId: id,
      reason,
      signedBy: self.nodeId,
      createdAt: formatInstant(nowMs),
    };
    return signedRevocation(unsigned, identity);
  }
}

const MAX_LISTED = 1000;

const revokedAmong = (tombstones: readonly Tombstone[]): string[] =>
  tombstones.flatMap(({ id, revokedMs }) => (revokedMs === null ? [] : [id]));

const noSuchTombstone = (): ServiceError => new ServiceError('lookup', 'no such tombstone');

/** Returns an audit entry without the entity, because the audit log is never erased. */
const entryOf = (caller: Principal, { id, scope, legalHold }: Tombstone): Omit<AuditEntry, 'event'> => ({
  tenantId: caller.tenantId,
  entityUri: caller.entityUri,
  oidcSub: caller.oidcSub,
  detail: { tombstone_id: id, scope, legal_hold: legalHold },
});
