import { defineRef, type FeedEntry, type Hlc, type Principal, type StoredFact } from '../../ports/ports.ts';
import type { PluginSnapshot } from '../store/plugin-transaction.ts';

/** The position before the first entry of the feed. */
export const FEED_START: Hlc = Object.freeze({ wallMs: 0, counter: 0 });

/** A part of the feed, in the order of commits. */
export interface FeedPage<T> {
  readonly entries: readonly FeedEntry[];
  /** The facts of these entries that the follower may see. */
  readonly facts: readonly StoredFact[];
  /** The result of `alongside`. */
  readonly more: T;
  /** The stamp of the last entry, which the follower saves as its position. */
  readonly upTo: Hlc;
}

export interface FeedFollowing<T> {
  /** The caller whose visible facts are read. Without one, the follower gets all facts of all tenants. */
  readonly caller?: Principal;
  /** The maximum number of entries on a page. Default: 512. */
  readonly maxEntries?: number;
  /** The maximum bytes of values on a page, after which it ends. Default: 4 MiB. */
  readonly maxBytes?: number;
  /**
   * Returns the position to continue from, which the owner saves with its rows or in memory. Called before every run.
   * `epoch` identifies the history of the store since the last failure. A position that was saved outside the store
   * under another epoch is void: its owner starts again from `FEED_START`.
   */
  begin(epoch: string): Hlc | Promise<Hlc>;
  /** Reads further data for a page, on the same snapshot. */
  alongside?(page: Omit<FeedPage<T>, 'more'>, snapshot: PluginSnapshot): Promise<T>;
  /** Processes a page and saves its position. When it rejects, `begin` is called again and the page is repeated. */
  take(page: FeedPage<T>): void | Promise<void>;
}

export interface FeedFollower {
  /**
   * Resolves when every commit before the call, of any process, was processed. Costs one small query when there is
   * nothing new. Calls during a run share the next one. Rejects as the store and `take` do; the next call tries again.
   */
  catchUp(): Promise<void>;
  /** Processes one page. Returns true when there may be more. Must not be called while `catchUp` runs. */
  next(maxEntries?: number): Promise<boolean>;
  /** Follows the feed continuously from now on, until `stop`. */
  keepUp(options: KeepUpOptions): void;
  /** Resolves when the run under way has ended. */
  stop(): Promise<void>;
}

export interface KeepUpOptions {
  /** The number of commits of this process after which the follower catches up. */
  readonly afterCommits: number;
  /** The interval in milliseconds at which the follower catches up with commits of other processes. */
  readonly everyMs?: number;
  /** Called on every failure. While the store fails, pauses grow from a second to a minute. */
  failed(error: unknown): void;
}

/** Reads the feed for parts that follow facts, with limits, retries and wake-ups. */
export interface FactFeed {
  follow<T = undefined>(following: FeedFollowing<T>): FeedFollower;
}

export const FactFeed = defineRef<FactFeed>('kernel.fact-feed');
