import { grouped } from '../../../kernel/internal-api.ts';
import { type PluginTables, type PluginTransaction, type Scope, ServiceError } from '../../../kernel/plugin-api.ts';
import { PARKED, PULLS } from '../ingest/ingest-tables.ts';
import { inboundScopes, type Peering } from '../peerings/peering.ts';
import { columnsOf, freshPull, type PullChange, type PullName, type PullRow, pullOf, whereOf } from './pull-row.ts';

/** The duration of a lease: longer than requesting and storing a page may take. */
export const LEASE_MS = 60_000;

/** A pull that this process has claimed: one scope of a peer. */
export interface ClaimedPull extends PullRow {
  readonly peering: Peering;
}

/** Thrown when another process has taken over this pull, or its grant has changed. Then nothing may be recorded. */
export class ClaimLost extends ServiceError {
  constructor() {
    super('conflict', 'the pull of this scope was taken over, or begun anew');
  }
}

/**
 * Stores the state of pulls. A claim expires by the store's clock, which all processes share. Only its last holder,
 * identified by its fence, may record progress. The due time follows the node's clock.
 */
export class PullStore {
  readonly #tables: PluginTables;

  constructor(tables: PluginTables) {
    this.#tables = tables;
  }

  /** Returns the pulls of all granted scopes of these peerings, in the order in which they are due. */
  async all(peerings: readonly Peering[]): Promise<PullRow[]> {
    if (peerings.length === 0) return [];
    const found = await this.#tables.read(async (own) => {
      const rows: PullRow[] = [];
      for (const [tenantId, peers] of grouped(peerings, ({ tenantId }) => tenantId)) {
        const peerIds = peers.map(({ peerId }) => peerId);
        rows.push(...(await own.select(PULLS, { tenant_id: tenantId, peer_id: peerIds })).map(pullOf));
      }
      return rows;
    });
    const known = new Map(found.map((row) => [keyOf(row), row]));
    return peerings
      .flatMap((peering) =>
        [...inboundScopes(peering)].map((scope) => {
          const row = known.get(keyOf({ ...peering, scope }));
          return row?.grantVersion === peering.grantVersion ? row : neverPulled(nameOf(peering, scope));
        }),
      )
      .sort((a, b) => a.dueMs - b.dueMs);
  }

  /**
   * Claims the pull unless another process holds it. After a change of the grant, the pull restarts without its parked
   * facts, because the peer may no longer send them, or sends them again. After a restore of this store it restarts as
   * well, so that the peer returns facts that this node has lost: own ones, and parked ones. `isDue` evaluates the
   * stored row.
   */
  claim(peering: Peering, scope: Scope, isDue: (row: PullRow) => boolean): Promise<ClaimedPull | undefined> {
    const name = nameOf(peering, scope);
    return this.#tables.write(peering.tenantId, async (own, transaction) => {
      const [stored] = (await own.select(PULLS, whereOf(name))).map(pullOf);
      const nowMs = await transaction.databaseMs();
      if (stored !== undefined && isHeld(stored, nowMs)) return undefined;
      const isSame = stored?.grantVersion === peering.grantVersion;
      if (isSame && !isDue(stored)) return undefined;
      if (stored !== undefined && !isSame) await own(PARKED).where(whereOf(name)).delete();
      const fence = (stored?.fence ?? 0) + 1;
      const storeEpoch = await transaction.epoch();
      const fresh = freshPull(name, { grantVersion: peering.grantVersion, storeEpoch, fence });
      const isRestored = stored !== undefined && stored.storeEpoch !== storeEpoch;
      const known = isRestored ? { ...stored, storeEpoch, cursor: null, wantsOwn: true } : stored;
      const before = isSame && known !== undefined ? known : fresh;
      const row: PullRow = { ...before, fence, leaseUntilMs: nowMs + LEASE_MS };
      const { tenantId: _t, peerId: _p, scope: _s, ...change } = row;
      if (stored === undefined) await own.insertRows(PULLS, [{ ...whereOf(name), ...columnsOf(change) }]);
      else await own(PULLS).where(whereOf(name)).update(columnsOf(change));
      return { ...row, peering };
    });
  }

  /** Rejects with `ClaimLost` unless this process still holds the claim and the cursor is unchanged. */
  async confirm(claim: ClaimedPull, cursor: string | null, transaction: PluginTransaction): Promise<void> {
    const [stored] = (await this.#tables.in(transaction).select(PULLS, whereOf(claim))).map(pullOf);
    const isHeld = stored?.fence === claim.fence && stored.grantVersion === claim.grantVersion;
    if (!isHeld || stored.cursor !== cursor) throw new ClaimLost();
  }

  /**
   * Records the progress of a claim that was confirmed in this transaction. `keeps` renews the claim; otherwise the
   * claim is released.
   */
  async record(claim: ClaimedPull, change: PullChange, keeps: boolean, transaction: PluginTransaction): Promise<void> {
    const leaseUntilMs = keeps ? (await transaction.databaseMs()) + LEASE_MS : 0;
    await this.#tables
      .in(transaction)(PULLS)
      .where({ ...whereOf(claim), fence: claim.fence })
      .update(columnsOf({ ...change, leaseUntilMs }));
  }

  /** Releases the claim, if it is still held, and records the change. */
  giveBack(claim: ClaimedPull, change: PullChange): Promise<void> {
    return this.#tables.write(claim.tenantId, async (own) => {
      await own(PULLS)
        .where({ ...whereOf(claim), fence: claim.fence })
        .update(columnsOf({ ...change, leaseUntilMs: 0, fence: claim.fence + 1 }));
    });
  }
}

/** Returns whether a process holds the pull. A clock that was set back leaves ends that are later than any claim's. */
const isHeld = ({ leaseUntilMs }: PullRow, nowMs: number): boolean =>
  leaseUntilMs > nowMs && leaseUntilMs <= nowMs + 2 * LEASE_MS;

const neverPulled = (name: PullName): PullRow => freshPull(name, { grantVersion: -1, storeEpoch: '', fence: 0 });

const nameOf = ({ tenantId, peerId }: Peering, scope: Scope): PullName => ({ tenantId, peerId, scope });

const keyOf = ({ tenantId, peerId, scope }: PullName): string => `${tenantId} ${peerId} ${scope}`;
