import { defineCollectHook, defineRef, type Principal } from '../../kernel/plugin-api.ts';

export { type LedgerPage, ofPage, walkLedgers } from './walk-ledgers.ts';

/** One backup, as its folder tells. */
export interface BackupSummary {
  /** Name of its folder. */
  readonly id: string;
  /** RFC 3339. Everything that was acknowledged before is in it. */
  readonly createdAt: string;
  /** Of all files together. */
  readonly bytes: number;
  readonly facts: number;
  readonly nodeId: string | null;
  /** Stamp of the newest entry of the feed in it; null for an empty feed. */
  readonly stamp: string | null;
  /** Whether it holds the private key of the node. */
  readonly hasKey: boolean;
  /** Erasures that ended after it was begun: what they destroyed may still lie in it. */
  readonly erasuresSince: number;
  /** False for a folder whose manifest cannot be read. */
  readonly isReadable: boolean;
}

export interface Backups {
  /** Newest first. Needs `admin` in the default tenant. */
  list(caller: Principal): Promise<readonly BackupSummary[]>;
  /** Begins a backup in the background, and returns the id of its job. Needs `admin` in the default tenant. */
  begin(caller: Principal): Promise<string>;
}

export const Backups = defineRef<Backups>('backup.backups');

/** Something that is not as it must be in a store. Names a place, never a value. */
export interface StoreFinding {
  /** Name of the check. */
  readonly check: string;
  readonly tenantId: string;
  /** What is wrong, with the identifier of a fact or the place in a chain. */
  readonly message: string;
  /** What the operator can do. */
  readonly hint: string;
}

export interface CheckReport {
  /** Every tenant with a ledger, and its last number when the verification began. */
  readonly tenants: readonly { readonly tenantId: string; readonly number: number }[];
  /** Says how many entries of ledgers were looked at since the last call. */
  advance(entries: number): void;
  find(finding: Omit<StoreFinding, 'check'>): void;
}

/** One check of a whole store, by the plugin that knows what must hold. Bounded in memory; changes nothing. */
export interface StoreCheck {
  /** Lower-case letters and dashes. */
  readonly name: string;
  readonly summary: string;
  run(report: CheckReport): Promise<void>;
}

/** Asks plugins what they can verify in the store. */
export const storeChecks = defineCollectHook<Record<string, never>, StoreCheck>('backup:checks');

export interface VerifiedStore {
  readonly checks: readonly { readonly name: string; readonly findings: number }[];
  /** Numbers in ledgers of all tenants. */
  readonly entries: number;
  /** At most `MAX_FINDINGS`, in the order of the checks. */
  readonly findings: readonly StoreFinding[];
}

/** Findings that a verification names; it counts all. */
export const MAX_FINDINGS = 1_000;

export interface StoreVerification {
  /** Runs all checks one after another. `onProgress` gets entries looked at, of all checks together. */
  run(onProgress?: (done: number, total: number) => void): Promise<VerifiedStore>;
}

export const StoreVerification = defineRef<StoreVerification>('backup.verification');
