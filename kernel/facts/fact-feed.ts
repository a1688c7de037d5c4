import { defineRef, type FeedEntry, type Hlc, type Principal, type StoredFact } from '../../ports/ports.ts';
import type { PluginSnapshot } from '../store/plugin-transaction.ts';

/** The place before the first entry of the feed. */
export const FEED_START: Hlc = Object.freeze({ wallMs: 0, counter: 0 });

/** A part of the feed, in the order of commits. */
export interface FeedPage<T> {
  readonly entries: readonly FeedEntry[];
  /** The facts of these entries that the follower may see. */
  readonly facts: readonly StoredFact[];
  /** The result of `alongside`. */
  readonly more: T;
  /** Stamp of the last entry: the place to save. */
  readonly upTo: Hlc;
}

export interface FeedFollowing<T> {
  /** Facts are read as this caller sees them. Without a caller: all facts of all tenants. */
  readonly caller?: Principal;
  /** Most entries of a page; 512 without. */
  readonly maxEntries?: number;
  /** A page ends with the fact whose value brings it to so many bytes; 4 MiB without. */
  readonly maxBytes?: number;
  /**
   * Returns the place to go on from, which the owner saves with its rows or in memory. Called before every run. `epoch`
   * identifies the history of the store since the last failure. A place outside the store that was saved under another
   * epoch is void: its owner starts over from `FEED_START`.
   */
  begin(epoch: string): Hlc | Promise<Hlc>;
  /** Reads further data for a page, on the same snapshot. */
  alongside?(page: Omit<FeedPage<T>, 'more'>, snapshot: PluginSnapshot): Promise<T>;
  /** Processes a page and saves its place. When it rejects, `begin` is called again and the page comes again. */
  take(page: FeedPage<T>): void | Promise<void>;
}

export interface FeedFollower {
  /**
   * Resolves when every commit before the call, of any process, was processed; one small query when nothing is new.
   * Calls that come during a run share the next one. Rejects as the store and `take` do; the next call tries again.
   */
  catchUp(): Promise<void>;
  /** Processes one page. Returns true when there may be more. Not to be called while `catchUp` runs. */
  next(maxEntries?: number): Promise<boolean>;
  /** Catches up by itself from now on, until `stop`. */
  keepUp(options: KeepUpOptions): void;
  /** Resolves when the run under way has ended. */
  stop(): Promise<void>;
}

export interface KeepUpOptions {
  /** Catches up after so many facts of this process. */
  readonly afterCommits: number;
  /** Catches up after so long, for commits of other processes. */
  readonly everyMs?: number;
  /** Called on every failure. While the store fails, pauses grow from a second to a minute. */
  failed(error: unknown): void;
}

/** The one loop that reads the feed, with bounds, retries and wake-ups, for parts that follow facts. */
export interface FactFeed {
  follow<T = undefined>(following: FeedFollowing<T>): FeedFollower;
}

export const FactFeed = defineRef<FactFeed>('kernel.fact-feed');
