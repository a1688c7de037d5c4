import type { Hlc } from './fact.ts';
import type { FactStore } from './fact-store.ts';
import type { OwnedMigration } from './migration.ts';

/** One file of a copy. */
export interface CopiedFile {
  /** A plain name, inside the folder of the copy. */
  readonly name: string;
  readonly bytes: number;
  /** Lower-case hexadecimal digest of the file. */
  readonly sha256: string;
}

/** The content of a copy of a store, as of its one moment. Plain JSON. */
export interface StoreCopy {
  /** The layout of the files, with a version: only a store that knows the layout restores from them. */
  readonly layout: string;
  readonly files: readonly CopiedFile[];
  /** The node that the store belongs to; null for a store that no node has started on. */
  readonly nodeId: string | null;
  /** The epoch in the store: see `Snapshot.epoch`. */
  readonly epoch: string;
  /** Stamp of the newest entry of the feed, null while the feed is empty. */
  readonly head: Hlc | null;
  /** The last number of each ledger, and its newest link in lower-case hexadecimal where there is one. */
  readonly ledgers: readonly { readonly tenantId: string; readonly number: number; readonly link: string | null }[];
  /** Rows by table. */
  readonly tables: Readonly<Record<string, number>>;
  /** Applied migrations of the store, in ascending order. */
  readonly migrations: readonly { readonly version: string; readonly owner: string }[];
  /** Further data of the layout. */
  readonly details?: Readonly<Record<string, unknown>>;
}

export interface CopyOptions {
  /** Ends the work early; the caller removes the partial output. */
  readonly signal?: AbortSignal;
  /** Called now and then; `total` is null while it is unknown. Must not throw. */
  readonly onProgress?: (doneBytes: number, totalBytes: number | null) => void;
}

/** The parameters of a restore. */
export interface RestoreRequest {
  /** The folder with the files of the copy. Their digests are verified already. */
  readonly folder: string;
  readonly copy: StoreCopy;
  /** All migrations that this program knows, core and plugins, also of plugins that are off. */
  readonly migrations: readonly OwnedMigration[];
  /** Moves an existing store aside. Without it the restore is refused, and the store stays as it is. */
  readonly replaces: boolean;
  /** Lower-case letters, digits and underscores; never used before. Names the store that is moved aside. */
  readonly label: string;
  /** Called with the restored store before it takes its place, for changes that a node must never miss. */
  prepare(store: FactStore): Promise<void>;
  readonly onProgress?: CopyOptions['onProgress'];
}

export interface RestoredPlace {
  /** The new location of the former store, for people; null without one. */
  readonly keptAside: string | null;
}
