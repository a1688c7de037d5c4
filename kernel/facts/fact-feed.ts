import { defineRef, type FeedEntry, type Hlc, type Principal, type StoredFact } from '../../ports/ports.ts';
import type { PluginSnapshot } from '../store/plugin-transaction.ts';

/** The place before the first entry of the feed. */
export const FEED_START: Hlc = Object.freeze({ wallMs: 0, counter: 0 });

/** A part of the feed, in the order of commits. */
export interface FeedPage<T> {
  readonly entries: readonly FeedEntry[];
  /** The facts that these entries are about, as far as the follower may see them. */
  readonly facts: readonly StoredFact[];
  /** What `alongside` has read. */
  readonly more: T;
  /** Stamp of the last entry: the place to keep. */
  readonly upTo: Hlc;
}

export interface FeedFollowing<T> {
  /** Gives facts as this caller sees them when they are read. Without a caller, all facts of all tenants. */
  readonly caller?: Principal;
  /** Most entries of a page; 512 without. */
  readonly maxEntries?: number;
  /** A page ends with the fact whose value brings it to so many bytes; 4 MiB without. */
  readonly maxBytes?: number;
  /**
   * The place to go on from, which the owner keeps: with the rows that it writes, or in memory. Asked before every run.
   * `epoch` identifies the history of the store, as it was after the last failure: a place outside the store that was
   * kept under another epoch is void, and its owner starts over from `FEED_START`.
   */
  begin(epoch: string): Hlc | Promise<Hlc>;
  /** Reads what a page needs besides its facts, on the same snapshot. */
  alongside?(page: Omit<FeedPage<T>, 'more'>, snapshot: PluginSnapshot): Promise<T>;
  /** Takes a page in and keeps its place. When it rejects, the place is asked for again and the page comes again. */
  take(page: FeedPage<T>): void | Promise<void>;
}

export interface FeedFollower {
  /**
   * Resolves when everything that was committed before the call, in whatever process, was taken in; one small query
   * when nothing is new. Calls that come while one is running share the next one. Rejects as the store and `take` do;
   * the next call tries again.
   */
  catchUp(): Promise<void>;
  /** Takes one page in. True when there may be more. Not while `catchUp` runs. */
  next(maxEntries?: number): Promise<boolean>;
  /** From now on catches up by itself, until `stop`. */
  keepUp(options: KeepUpOptions): void;
  /** Resolves when what keeps up by itself has ended. */
  stop(): Promise<void>;
}

export interface KeepUpOptions {
  /** Catches up once so many facts were committed in this process. */
  readonly afterCommits: number;
  /** Catches up after so long, for what other processes commit. */
  readonly everyMs?: number;
  /** Told of every failure. While the store fails, pauses grow from a second to a minute. */
  failed(error: unknown): void;
}

/** For those who follow facts: the one loop that reads the feed, with bounds, retries and wake-ups. */
export interface FactFeed {
  follow<T = undefined>(following: FeedFollowing<T>): FeedFollower;
}

export const FactFeed = defineRef<FactFeed>('kernel.fact-feed');
