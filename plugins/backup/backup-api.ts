import {
  defineCollectHook,
  defineRef,
  type LedgerEntry,
  type PluginSnapshot,
  type Principal,
  type StoredFact,
} from '../../kernel/plugin-api.ts';

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
  /** Why the manifest cannot be read, in words. Null for a backup in order. */
  readonly damage: string | null;
  /** The id of the encryption key that the manifest is sealed with and that this node lacks. */
  readonly neededKey?: string;
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

/** The progress of one piece of work. */
export interface CheckProgress {
  /** The counted things, in the plural. */
  readonly unit: string;
  readonly done: number;
  readonly total: number;
}

export interface CheckReport {
  find(finding: Omit<StoreFinding, 'check'>): void;
  /** Says how the check was made, where that differs between stores. */
  note(text: string): void;
  /** Reports work beside the walk over the ledgers. Call it as often as you like. */
  advance(progress: CheckProgress): void;
}

/** Successive entries of one tenant's ledger. `verify` reads them once, for all checks. */
export interface LedgerPage {
  readonly tenantId: string;
  readonly entries: readonly LedgerEntry[];
  /** The facts of the entries, erased ones included, in the order of the ledger. */
  readonly facts: readonly StoredFact[];
  /** The covers among these facts. */
  readonly covers: readonly Cover[];
  /** The snapshot of all these rows, for further reads. It ends with the page. */
  readonly snapshot: PluginSnapshot;
}

type Cover = Awaited<ReturnType<PluginSnapshot['covers']>>[number];

/** The part of a check in one run. All reads are pieces of limited size. */
export interface LedgerVisitor {
  /** Checks a page. The pages of a tenant come in the order of its ledger. */
  page?(page: LedgerPage): Promise<void> | void;
  /** Checks the rest of a tenant, after its last page. */
  end?(tenantId: string): Promise<void>;
}

/** A check of the whole store by one plugin. It writes nothing. */
export interface StoreCheck {
  /** Lower-case letters and dashes. */
  readonly name: string;
  readonly summary: string;
  /** Begins a run. The visitor keeps the state of the run. */
  begin(report: CheckReport): Promise<LedgerVisitor> | LedgerVisitor;
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
  /** Walks all ledgers once, with all checks. */
  run(onProgress?: (progress: CheckProgress) => void): Promise<VerifiedStore>;
}

export const StoreVerification = defineRef<StoreVerification>('backup.verification');

/** A fact of a store, for a comparison with another copy of the store. */
export interface SampledFact {
  readonly tenantId: string;
  readonly id: string;
  /**
   * `hidden` behind a tombstone, `erased` without its value, `keyless` where the row is of before the erasure that has
   * destroyed its key, or `missing` altogether.
   */
  readonly state: 'there' | 'hidden' | 'erased' | 'keyless' | 'missing';
  /** The digest of its value and provenance, without `references`. Null for a fact without a value. */
  readonly digest: string | null;
  /** The content ids that it is derived from. The erasure of such a fact redacts them here. */
  readonly references: readonly string[];
}

export interface StoreSamples {
  /** Draws at most so many facts of all tenants at random, each once. */
  draw(count: number): Promise<readonly SampledFact[]>;
  /** Reads these facts, in their order. */
  again(facts: readonly Pick<SampledFact, 'tenantId' | 'id'>[]): Promise<readonly SampledFact[]>;
}

export const StoreSamples = defineRef<StoreSamples>('backup.samples');
