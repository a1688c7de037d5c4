import { defineCollectHook, defineRef, type Principal } from '../../kernel/plugin-api.ts';

export { type LedgerPage, ofPage, walkLedgers } from './walk-ledgers.ts';

/** A backup, as its manifest describes it. */
export interface BackupSummary {
  /** Name of its folder. */
  readonly id: string;
  /** RFC 3339. The backup holds everything acknowledged before. */
  readonly createdAt: string;
  /** Total size of all files. */
  readonly bytes: number;
  readonly facts: number;
  readonly nodeId: string | null;
  /** Stamp of the newest feed entry in the backup. Null for an empty feed. */
  readonly stamp: string | null;
  /** True if it holds the private key of the node. */
  readonly hasKey: boolean;
  /** Number of erasures that ended after the start of the backup, which may still contain their data. */
  readonly erasuresSince: number;
  /** False if the manifest cannot be read. */
  readonly isReadable: boolean;
}

export interface Backups {
  /** Newest first. Needs `admin` in the default tenant. */
  list(caller: Principal): Promise<readonly BackupSummary[]>;
  /** Starts a backup in the background, and returns the id of its job. Needs `admin` in the default tenant. */
  begin(caller: Principal): Promise<string>;
}

export const Backups = defineRef<Backups>('backup.backups');

/** A defect of a store. Names a place, never a value. */
export interface StoreFinding {
  /** Name of the check. */
  readonly check: string;
  /** Null for a defect of the whole store. */
  readonly tenantId: string | null;
  /** The defect, with the identifier of a fact or the place in a chain. */
  readonly message: string;
  /** A remedy for the operator. */
  readonly hint: string;
}

export interface CheckReport {
  /** Every tenant with a ledger, and its last number at the start of the verification. */
  readonly tenants: readonly { readonly tenantId: string; readonly number: number }[];
  /** Reports how many ledger entries were checked since the last call. */
  advance(entries: number): void;
  find(finding: Omit<StoreFinding, 'check'>): void;
  /** Says how the check was made, where that differs between stores. */
  note(text: string): void;
}

/** A check of the whole store by one plugin. It reads in pieces of limited size, and writes nothing. */
export interface StoreCheck {
  /** Lower-case letters and dashes. */
  readonly name: string;
  readonly summary: string;
  run(report: CheckReport): Promise<void>;
}

/** Collects the checks of all plugins. */
export const storeChecks = defineCollectHook<Record<string, never>, StoreCheck>('backup:checks');

export interface VerifiedStore {
  /** The checks that were run. `note` says how, where that differs between stores. */
  readonly checks: readonly { readonly name: string; readonly findings: number; readonly note?: string }[];
  /** Number of ledger entries of all tenants. */
  readonly entries: number;
  /** At most 1000, in the order of the checks. */
  readonly findings: readonly StoreFinding[];
}

export interface StoreVerification {
  /** Runs all checks, one after another. `onProgress` gets the checked entries of all checks together. */
  run(onProgress?: (done: number, total: number) => void): Promise<VerifiedStore>;
}

export const StoreVerification = defineRef<StoreVerification>('backup.verification');
