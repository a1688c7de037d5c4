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
  const { rows, nowMs } = await readRows(snapshot, claims);
  const viewOf = ({ name, fence }: Claim): LeaseView => {
    const row = rows.get(name);
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

const readRows = async (snapshot: Snapshot, claims: readonly Claim[]) => {
  const names = claims.map(({ name }) => name);
  const found: readonly LeaseRow[] = await snapshot.table(TABLE).whereIn('name', names);
  return { rows: new Map(found.map((row) => [row.name, row])), nowMs: await snapshot.databaseMs() };
};

/**
 * Takes or renews leases by the database's own clock, and returns their fences; null for one that another process has.
 * Rejects, or returns null, if another process takes the lease at the same time.
 */
export const takeLeases = async (
  transaction: WriteTransaction,
  claims: readonly Claim[],
): Promise<ReadonlyMap<Claim, number | null>> => {
  const { rows, nowMs } = await readRows(transaction, claims);
  const untilMs = nowMs + LEASE_MS;
  const fences = new Map<Claim, number | null>(claims.map((claim) => [claim, 1]));
  const fresh = claims.filter(({ name }) => !rows.has(name));
  if (fresh.length > 0) {
    const added = fresh.map(({ name, holder }) => ({ name, holder, fence: 1, until_ms: untilMs }));
    await transaction.insertRows(TABLE, added);
  }
  for (const claim of claims) {
    const row = rows.get(claim.name);
    if (row !== undefined) fences.set(claim, await takeRow(transaction, claim, row, { nowMs, untilMs }));
  }
  return fences;
};

const takeRow = async (
  transaction: WriteTransaction,
  { holder, fence, abandonedEndMs }: Claim,
  row: LeaseRow,
  { nowMs, untilMs }: { readonly nowMs: number; readonly untilMs: number },
): Promise<number | null> => {
  const current = Number(row.fence);
  const isMine = current === fence;
  const endMs = Number(row.until_ms);
  if (!isMine && endMs > nowMs && endMs !== abandonedEndMs) return null;
  const taken = isMine ? current : current + 1;
  const change = { holder, fence: taken, until_ms: untilMs };
  const changed = await transaction
    .table(TABLE)
    .where({ ...row })
    .update(change);
  return changed > 0 ? taken : null;
};

/** Releases leases at once. Returns whether this process still had one of them. */
export const giveLeasesBack = async (transaction: WriteTransaction, claims: readonly Claim[]): Promise<boolean> => {
  const mine = claims.map(({ name, fence }) => [name, fence]);
  return (await transaction.table(TABLE).whereIn(['name', 'fence'], mine).update({ until_ms: 0 })) > 0;
};

/** Returns whether the lease still has the same holder. If so, it stays so until the transaction ends. */
export const keepsLease = async (transaction: WriteTransaction, name: string, fence: number): Promise<boolean> =>
  (await transaction.table(TABLE).where({ name, fence }).forUpdate().select('fence')).length > 0;
