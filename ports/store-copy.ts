import type { Hlc } from './fact.ts';
import type { FactStore } from './fact-store.ts';
import type { OwnedMigration } from './migration.ts';

/** One file of a copy. */
export interface CopiedFile {
  /** Inside the folder of the copy; no folder in it. */
  readonly name: string;
  readonly bytes: number;
  /** Lower-case hexadecimal digest of what the file holds. */
  readonly sha256: string;
}

/** What a copy of a store holds, as of the one moment that it shows. Plain JSON. */
export interface StoreCopy {
  /** How the files are laid out, with a version: only a store that knows the layout restores from them. */
  readonly layout: string;
  readonly files: readonly CopiedFile[];
  /** The node that the store belongs to; null for a store that no node has started on. */
  readonly nodeId: string | null;
  /** As the store keeps it: see `Snapshot.epoch`. */
  readonly epoch: string;
  /** Stamp of the newest entry of the feed, null while the feed is empty. */
  readonly head: Hlc | null;
  /** The last number of each ledger, and its newest link in lower-case hexadecimal where there is one. */
  readonly ledgers: readonly { readonly tenantId: string; readonly number: number; readonly link: string | null }[];
  /** Rows by table. */
  readonly tables: Readonly<Record<string, number>>;
  /** Migrations that the store has had, in ascending order. */
  readonly migrations: readonly { readonly version: string; readonly owner: string }[];
  /** What else the layout needs. */
  readonly details?: Readonly<Record<string, unknown>>;
}

export interface CopyOptions {
  /** Ends the work early; what was written until then is left for the caller to remove. */
  readonly signal?: AbortSignal;
  /** Called now and then; `total` is null as long as nobody can tell. Must not throw. */
  readonly onProgress?: (doneBytes: number, totalBytes: number | null) => void;
}

/** How to bring a store back from a copy. */
export interface RestoreRequest {
  /** The folder with the files of the copy. Their digests were compared before. */
  readonly folder: string;
  readonly copy: StoreCopy;
  /** All migrations that this program knows, core and plugins, also of plugins that are off. */
  readonly migrations: readonly OwnedMigration[];
  /** Keeps a store that is there aside. Without it the restore is refused, and the store stays as it is. */
  readonly replaces: boolean;
  /** Lower-case letters, digits and underscores; never used before. Names what is put aside. */
  readonly label: string;
  /** Called with the restored store before it comes into its place: what has to happen before a node may find it. */
  prepare(store: FactStore): Promise<void>;
  readonly onProgress?: CopyOptions['onProgress'];
}

export interface RestoredPlace {
  /** Where the former store is now, for people; null when there was none. */
  readonly keptAside: string | null;
}
