import { ERASURE_START, eachInTurn, hasForbiddenCodePoint } from '../../../kernel/internal-api.ts';
import {
  all,
  equals,
  isIn,
  isNull,
  type Logger,
  matchKey,
  memberRefusal,
  not,
  type PluginTransaction,
  type Principal,
  parseInstant,
  requirePermission,
  SCOPES,
  ServiceError,
  SUPPRESSION_CHANGED,
} from '../../../kernel/plugin-api.ts';
import type { JobQueue } from '../../jobs/jobs-api.ts';
import { erasedByPeers, insertTombstone, isHeld, raiseErased, tombstoneById } from '../markers/marker-store.ts';
import type { Erasures, Tombstone, Tombstones } from '../tombstones-api.ts';
import { LEGAL_HOLD, TOMBSTONES_OFF } from '../tombstones-words.ts';
import { hasReached, readErasures } from './erasure-journal.ts';
import { type ErasurePreview, type ErasureReceipt, previewOf } from './erasure-receipt.ts';
import { abandonedErasures, erasureOf, putErasure } from './erasure-row.ts';
import { subjectOf } from './erasure-subject.ts';
import { addMissingErasures } from './missing-erasures.ts';
import { previewErasure, type RunParts, runErasure } from './run-erasure.ts';

export interface ErasureParts extends RunParts {
  readonly tombstones: Tombstones;
  readonly jobs: JobQueue | undefined;
  readonly log: Logger;
  /** True if peers may have their own facts erased here. */
  readonly erasesForPeers: boolean;
}

export interface ErasureJob {
  readonly jobId: string;
  readonly estimatedSeconds: number;
}

/** The type of the job that erases the facts behind a tombstone. */
export const ERASE_JOB = 'tombstones.erase';
/** The estimated speed of a slow machine, sweeps included. */
const FACTS_PER_SECOND = 1_000;
const RESUMED_AT_ONCE = 10;
/** The number of tombstones of peers that one look reads. */
const ASKED_AT_ONCE = 100;

/** Erases the contents of facts behind tombstones. */
export class StoredErasures implements Erasures {
  readonly #parts: ErasureParts;
  /** The last tombstone of a peer that `resume` has looked at; undefined to start from the first one. */
  #lookedAt: Pick<Tombstone, 'tenantId' | 'id'> | undefined;

  constructor(parts: ErasureParts) {
    this.#parts = parts;
  }

  async entityOf(caller: Principal, tombstoneId: string): Promise<string> {
    requirePermission(caller, 'admin');
    return (await this.#find(caller, tombstoneId)).entityUri;
  }

  async eraseNow(
    caller: Principal,
    tombstoneId: string,
    confirm: string,
    onProgress?: (facts: number) => void,
  ): Promise<ErasureReceipt> {
    return runErasure(this.#parts, (await this.#request(caller, tombstoneId, confirm)).tombstone, onProgress);
  }

  async preview(caller: Principal, tombstoneId: string, confirm: string): Promise<ErasurePreview> {
    const tombstone = await this.#erasable(caller, tombstoneId, confirm);
    const counts = await previewErasure(this.#parts, subjectOf(tombstone, null));
    return previewOf(tombstone, counts, this.#parts.isSealed);
  }

  /**
   * Erases facts at once if there are few, as `eraseNow` does; otherwise starts a job. A repeated call erases facts
   * that have arrived since.
   */
  async erase(caller: Principal, tombstoneId: string, confirm: string): Promise<ErasureReceipt | ErasureJob> {
    const { jobs } = this.#parts;
    const { tombstone, count } = await this.#request(caller, tombstoneId, confirm);
    if (jobs === undefined || count <= jobs.threshold) return runErasure(this.#parts, tombstone);
    const { tenantId, entityUri: creator } = caller;
    const estimatedSeconds = Math.ceil(count / FACTS_PER_SECOND);
    const dedupe = { key: tombstoneId, until: 'ended' } as const;
    const payload = { tombstone_id: tombstoneId };
    const jobId = await jobs.enqueue({ type: ERASE_JOB, tenantId, creator, payload, estimatedSeconds, dedupe });
    return { jobId, estimatedSeconds };
  }

  /** Starts an erasure, and returns the number of facts to destroy. */
  async #request(
    caller: Principal,
    tombstoneId: string,
    confirm: string,
  ): Promise<{ readonly tombstone: Tombstone; readonly count: number }> {
    const asked = await this.#erasable(caller, tombstoneId, confirm);
    const count = await this.#parts.tables.read((_own, snapshot) => snapshot.count(unerased(asked)));
    const begun = { requestedBy: caller.entityUri, originNodeId: null, hasMore: count > 0 };
    return { tombstone: await this.#begin(asked, begun), count };
  }

  /** Erases facts as a job. `onProgress` gets the number of destroyed facts and their total. */
  async eraseFor(
    tenantId: string,
    tombstoneId: string,
    onProgress?: (done: number, total: number) => void,
  ): Promise<ErasureReceipt> {
    const { tables } = this.#parts;
    const tombstone = await tables.read((own) => tombstoneById(own, { tenantId, id: tombstoneId }));
    if (tombstone === undefined) throw new ServiceError('lookup', 'no such tombstone');
    if (onProgress === undefined) return runErasure(this.#parts, tombstone);
    const total = await tables.read(async (own, snapshot) => {
      const before = await erasureOf(own, { tenantId, tombstoneId });
      return (before?.counts['facts'] ?? 0) + (await snapshot.count(unerased(tombstone)));
    });
    return runErasure(this.#parts, tombstone, (done) => onProgress(done, Math.max(done, total)));
  }

  /**
   * Erases facts that a peer has asserted and erased. `tombstone` is stored already, requests erasure, and has a
   * verified signature. Returns `kept` without any effect if the operator forbids it or a legal hold applies.
   */
  async eraseFromPeer(tombstone: Tombstone): Promise<'erased' | 'kept'> {
    if (!this.#parts.erasesForPeers || !tombstone.erase) return 'kept';
    if (await this.#parts.tables.read((own) => isHeld(own, tombstone))) return 'kept';
    const { signedBy } = tombstone;
    const begun = { requestedBy: signedBy, originNodeId: signedBy, hasMore: true };
    await runErasure(this.#parts, await this.#begin(tombstone, begun));
    return 'erased';
  }

  /** Continues erasures of processes that have ended, and erases facts that peers have erased. */
  async resume(): Promise<void> {
    await eachInTurn([() => this.#goOn(), () => this.#eraseForPeers()], (erase) => erase());
  }

  async #goOn(): Promise<void> {
    const { tables, clock } = this.#parts;
    const left = await tables.read((own) => abandonedErasures(own, clock.nowMs(), RESUMED_AT_ONCE));
    await eachInTurn(left, ({ tenantId, tombstoneId }) => this.eraseFor(tenantId, tombstoneId));
  }

  async #eraseForPeers(): Promise<void> {
    const { tables, erasesForPeers } = this.#parts;
    if (!erasesForPeers) return;
    const asked = await tables.read((own) => erasedByPeers(own, this.#lookedAt, ASKED_AT_ONCE));
    // Goes on behind these next time, because a legal hold may keep back all of them.
    this.#lookedAt = asked.length < ASKED_AT_ONCE ? undefined : asked.at(-1);
    await eachInTurn(asked, (tombstone) => this.eraseFromPeer(tombstone));
  }

  /**
   * Hides restored facts that were erased before, and starts to erase them again; `resume` completes it. Adds the
   * erasures of other hosts to the file. Must run before the node accepts requests.
   */
  async restore(): Promise<void> {
    const { tables, journal, identity, log } = this.#parts;
    const inFile = new Set<string>();
    for (const last of await readErasures(journal, identity, log)) {
      const { receipt, tombstone: kept, receiptIds } = last;
      const { tenantId, id } = kept;
      for (const receiptId of receiptIds) inFile.add(receiptId);
      const known = await tables.read((own) => erasureOf(own, { tenantId, tombstoneId: id }));
      if (known?.receipt != null && hasReached(known.receipt, last)) continue;
      const isRunning = known !== undefined && known.state !== 'done';
      if (!(await this.#restoreOne(receipt, kept, isRunning)) || isRunning) continue;
      log.warn('facts that were erased are in the store again, from a backup; they are hidden, and erased anew', {
        tombstoneId: id,
      });
    }
    await addMissingErasures(inFile, this.#parts);
  }

  /**
   * Restores one erasure. Returns true if there are facts to erase again. One that is running does that, and keeps its
   * progress. Its receipt is older than the given one, so it gets another.
   */
  async #restoreOne(receipt: ErasureReceipt, kept: Tombstone, isRunning: boolean): Promise<boolean> {
    const { tables, self, clock, tombstones } = this.#parts;
    const { tenantId, id } = kept;
    const erasedMs = parseInstant(receipt.created_at);
    const entityKey = matchKey(kept.entityUri, self.names);
    const originNodeId = kept.receivedFrom === null ? null : kept.signedBy;
    const isBack = await tables.writeUnlessErased(tenantId, async (own, transaction) => {
      const stored = await tombstoneById(own, { tenantId, id });
      if (stored === undefined) {
        const feed = await transaction.announce(SUPPRESSION_CHANGED, [id], clock.nowMs());
        const hidden = { ...kept, entityKey, erasedMs, revokedMs: null };
        await insertTombstone(own, hidden, { feed, originNodeId: originNodeId ?? '' });
      } else {
        if (stored.revokedMs !== null) return false;
        await tombstones.markErased(stored, erasedMs ?? 0, transaction);
        await raiseErased(own, stored, erasedMs ?? 0);
      }
      const row = isRunning ? await erasureOf(own, { tenantId, tombstoneId: id }) : undefined;
      if (row?.state === 'done') return true;
      const fresh = { ...FRESH, tenantId, tombstoneId: id, originNodeId, requestedBy: self.nodeId };
      await putErasure(own, row === undefined ? fresh : { ...row, receipt: null });
      return true;
    });
    return isBack ?? false;
  }

  /**
   * Records in the tombstone that its facts are destroyed, so that it can no longer be revoked, and starts from the
   * beginning.
   */
  async #begin(
    tombstone: Tombstone,
    { requestedBy, originNodeId, hasMore }: { requestedBy: string; originNodeId: string | null; hasMore: boolean },
  ): Promise<Tombstone> {
    const { tables, clock, tombstones } = this.#parts;
    const { tenantId, id: tombstoneId } = tombstone;
    return tables.write(tenantId, async (own, transaction) => {
      await this.#refuseUnfit(tombstone, transaction);
      const nowMs = clock.nowMs();
      const marked = await tombstones.markErased(tombstone, nowMs, transaction);
      const known = await erasureOf(own, { tenantId, tombstoneId });
      const isNeeded = known === undefined || (known.state === 'done' && hasMore);
      const fresh = { ...FRESH, tenantId, tombstoneId, originNodeId, requestedBy, touchedMs: nowMs };
      if (isNeeded) {
        await raiseErased(own, tombstone, nowMs);
        await putErasure(own, fresh);
      }
      return marked;
    });
  }

  async #erasable(caller: Principal, tombstoneId: string, confirm: string): Promise<Tombstone> {
    requirePermission(caller, 'admin');
    const { tables, tombstones } = this.#parts;
    const { tenantId } = caller;
    // An id with such characters cannot be stored, so it does not exist.
    const isName = !hasForbiddenCodePoint(tombstoneId);
    const tombstone = isName
      ? await tables.read((own) => tombstoneById(own, { tenantId, id: tombstoneId }))
      : undefined;
    if (tombstone === undefined) throw new ServiceError('lookup', 'no such tombstone');
    if (confirm !== tombstone.entityUri) {
      throw memberRefusal('body.confirm', 'must repeat the entity_uri of the tombstone exactly');
    }
    if (!tombstones.isSuppressing) {
      throw new ServiceError(TOMBSTONES_OFF, 'facts are erased only while tombstones hide them', {
        hint: 'set SVC_TOMBSTONES_ENABLED=true',
      });
    }
    if (tombstone.receivedFrom !== null) {
      throw new ServiceError('conflict', 'the tombstone belongs to a peer', {
        hint: 'make a tombstone of this node for the entity, and erase by that one',
      });
    }
    await tables.read((_own, snapshot) => this.#refuseUnfit(tombstone, snapshot as PluginTransaction));
    return tombstone;
  }

  async #find({ tenantId }: Principal, tombstoneId: string): Promise<Tombstone> {
    // An id with such characters cannot be stored, so it does not exist.
    const found = hasForbiddenCodePoint(tombstoneId)
      ? undefined
      : await this.#parts.tables.read((own) => tombstoneById(own, { tenantId, id: tombstoneId }));
    if (found === undefined) throw new ServiceError('lookup', 'no such tombstone');
    return found;
  }

  async #refuseUnfit({ tenantId, id }: Tombstone, transaction: PluginTransaction): Promise<void> {
    const own = this.#parts.tables.in(transaction);
    const tombstone = await tombstoneById(own, { tenantId, id });
    if (tombstone === undefined || tombstone.revokedMs !== null) {
      throw new ServiceError('conflict', 'the tombstone is revoked');
    }
    if (await isHeld(own, tombstone)) {
      throw new ServiceError(LEGAL_HOLD, 'a legal hold keeps the facts', {
        hint: 'revoke the tombstone with the legal hold first',
      });
    }
  }
}

/**
 * The row of an erasure that starts from the beginning. With `touchedMs` 0 it counts as abandoned, so that any process
 * may continue it at once.
 */
const FRESH = { state: 'running', position: ERASURE_START, counts: {}, touchedMs: 0, receipt: null } as const;

const unerased = ({ tenantId, entityKey, scope }: Tombstone) =>
  all(
    equals('tenantId', tenantId),
    equals('entityKey', entityKey),
    isIn('scope', scope === '*' ? SCOPES : [scope]),
    not(isNull('cid')),
  );
