import type { Snapshot, WriteTransaction } from '../../ports/ports.ts';

/** The milliseconds after which a lease expires without a renewal. */
export const LEASE_MS = 30_000;

const TABLE = 'leases';

/** A claim to a lease. The fence distinguishes holders with the same process name. */
export interface Claim {
  readonly name: string;
  /** The name of the process, for people. */
  readonly holder: string;
  /** The fence from the last time when this process got the lease; 0 before. */
  readonly fence: number;
  /** The stored end of another holder's lease that counts as passed, because it stayed for as long as a lease lasts. */
  readonly abandonedEndMs?: number | undefined;
}

/** The state of a lease for one claim. */
export interface LeaseView {
  /** Whether `takeLease` would succeed. */
  readonly isTakeable: boolean;
  /** The end of another holder's lease, if it is too far ahead. A clock that was set back leaves such ends. */
  readonly farEndMs: number | undefined;
}

/** Returns the states of leases, by a read without a lock. */
export const viewLeases = async (
  snapshot: Snapshot,
  claims: readonly Claim[],
): Promise<ReadonlyMap<Claim, LeaseView>> => {
  const rows: readonly LeaseRow[] = await snapshot.table(TABLE).whereIn(
    'name',
    claims.map(({ name }) => name),
  );
  const byName = new Map(rows.map((row) => [row.name, row]));
  const nowMs = await snapshot.databaseMs();
  const viewOf = ({ name, fence }: Claim): LeaseView => {
    const row = byName.get(name);
    if (row === undefined || Number(row.fence) === fence) return { isTakeable: true, farEndMs: undefined };
    const untilMs = Number(row.until_ms);
    return { isTakeable: untilMs <= nowMs, farEndMs: untilMs > nowMs + LEASE_MS ? untilMs : undefined };
  };
  return new Map(claims.map((claim) => [claim, viewOf(claim)]));
};

/** Numbers are text on PostgreSQL. */
interface LeaseRow {
  readonly name: string;
  readonly fence: number | string;
  readonly until_ms: number | string;
}

/** Takes or renews the lease by the database's own clock, and returns its fence; null while another process has it. */
export const takeLease = async (transaction: WriteTransaction, claim: Claim): Promise<number | null> => {
  const { name, holder } = claim;
  const nowMs = await transaction.databaseMs();
  const untilMs = nowMs + LEASE_MS;
  const [row] = await transaction.select(TABLE, { name });
  if (row === undefined) {
    await transaction.insertRows(TABLE, [{ name, holder, fence: 1, until_ms: untilMs }]);
    return 1;
  }
  const current = Number(row['fence']);
  const isMine = current === claim.fence;
  const endMs = Number(row['until_ms']);
  if (!isMine && endMs > nowMs && endMs !== claim.abandonedEndMs) return null;
  const fence = isMine ? current : current + 1;
  await transaction.table(TABLE).where({ name }).update({ holder, fence, until_ms: untilMs });
  return fence;
};

/** Releases the lease at once. Returns whether this process still had it. */
export const giveLeaseBack = async (transaction: WriteTransaction, { name, fence }: Claim): Promise<boolean> =>
  (await transaction.table(TABLE).where({ name, fence }).update({ until_ms: 0 })) > 0;

/** Returns whether the lease still has the same holder. If so, it stays so until the transaction ends. */
export const keepsLease = async (transaction: WriteTransaction, name: string, fence: number): Promise<boolean> =>
  (await transaction.table(TABLE).where({ name, fence }).forUpdate().select('fence')).length > 0;
