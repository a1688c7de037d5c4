import type { Hlc } from './fact.ts';
import type { FactStore } from './fact-store.ts';
import type { IncrementName } from './increment-name.ts';
import type { OwnedMigration } from './migration.ts';

/** One file of a copy. */
export interface CopiedFile {
  /** The name of the file in the folder of the copy, without a path. */
  readonly name: string;
  readonly bytes: number;
  /** The SHA-256 of the file in lower-case hexadecimal. */
  readonly sha256: string;
}

/** The description of a copy of a store, as of a single moment. Plain JSON. */
export interface StoreCopy {
  /** The layout of the files, with a version. Only a store that knows the layout can restore them. */
  readonly layout: string;
  readonly files: readonly CopiedFile[];
  /** The node of the store; null for a store on which no node has started. */
  readonly nodeId: string | null;
  /** The epoch in the store: see `Snapshot.epoch`. */
  readonly epoch: string;
  /** The stamp of the newest feed entry; null while the feed is empty. */
  readonly head: Hlc | null;
  /** The last number of each ledger, and its newest link in lower-case hexadecimal if there is one. */
  readonly ledgers: readonly { readonly tenantId: string; readonly number: number; readonly link: string | null }[];
  /** The number of rows by table. */
  readonly tables: Readonly<Record<string, number>>;
  /** The applied migrations of the store, in ascending order. */
  readonly migrations: readonly { readonly version: string; readonly owner: string }[];
  /** Further data for the layout. */
  readonly details?: Readonly<Record<string, unknown>>;
}

export interface CopyOptions {
  /** Ends the work early; the caller removes the partial output. */
  readonly signal?: AbortSignal;
  /** Called from time to time; `total` is null while unknown. Must not throw. */
  readonly onProgress?: (doneBytes: number, totalBytes: number | null) => void;
}

/**
 * A file with the changes of a store since the file before it; the first one of a chain, its base, holds everything.
 * Its form belongs to the store.
 */
export interface IncrementFile extends CopiedFile, IncrementName {
  /** The chain of the file, which is also the name of the folder that it lies in. */
  readonly chain: string;
}

export interface RecordOptions {
  /** The name of the first chain, never used before. Each of its files carries the name. */
  readonly chain: string;
  /**
   * If true, the recorder continues the last chain of the folder, provided that its base was removed. It first reports
   * the files that are left. The next file holds the pages that differ from the last one, and is marked as resumed.
   */
  readonly goesOn: boolean;
  /** The time between two files. A file without changes is written seldom, and shows that the recording goes on. */
  readonly everyMs: number;
  /** Called for each file of a chain, in order, when it is whole and on disk. Must not throw. The caller removes it. */
  onIncrement(increment: IncrementFile): void;
}

/** A running recording of changes. */
export interface ChangeRecorder {
  /**
   * Resolves after `stop`. Rejects with `unavailable` when changes may have been missed, and with `conflict` when
   * another process records the store.
   */
  readonly ended: Promise<void>;
  /** Begins a further chain with a base of its own. The chains before it go on meanwhile, each with every change. */
  begin(chain: string): void;
  /** Ends a chain; a further one goes on. */
  end(chain: string): void;
  /** Writes the last changes, and ends the recording. May be called several times; never rejects. */
  stop(): Promise<void>;
}

/** The parameters for putting a store together from increments. */
export interface AssembleRequest {
  readonly chain: string;
  /** The base and the increments after it, in order and without a gap. */
  readonly increments: AsyncIterable<{ readonly name: string; readonly content: AsyncIterable<Uint8Array> }>;
  /** The point in time to reach, in milliseconds since the epoch. Later commits are left out. */
  readonly untilMs: number;
  /** An empty folder for the copy. Undefined to check the increments and keep nothing. */
  readonly folder: string | undefined;
}

export interface AssembledStore {
  /** When the last commit that it has was seen, in milliseconds since the epoch. */
  readonly atMs: number;
  /** Describes the files in the folder, as of `FactStore.copyInto`. Null without a folder. */
  readonly copy: StoreCopy | null;
}

/** The parameters of a restore. */
export interface RestoreRequest {
  /** The folder with the files of the copy. The caller has verified their digests. */
  readonly folder: string;
  readonly copy: StoreCopy;
  /** All migrations of this program, of the core and of all plugins, even disabled ones. */
  readonly migrations: readonly OwnedMigration[];
  /** Moves an existing store aside. If false, an existing store makes the restore fail and stays unchanged. */
  readonly replaces: boolean;
  /** The name for the store that is moved aside, never used before. Lower-case letters, digits and underscores. */
  readonly label: string;
  /** Called with the restored store before it takes its place, for changes that a node must never miss. */
  prepare(store: FactStore): Promise<void>;
  readonly onProgress?: CopyOptions['onProgress'];
}

export interface RestoredPlace {
  /** The new location of the former store, for people; null when there was none. */
  readonly keptAside: string | null;
}
