import {
  type Cover,
  equals,
  type FactOutline,
  type FactQuery,
  type FeedEntry,
  type Filter,
  type Hlc,
  type SizedOutline,
  type Snapshot,
  type StoredFact,
  type TripleKey,
  type WriteTransaction,
} from '../../ports/ports.ts';
import { readCovers, readExpiries, readExpiriesAfter } from './fact-lifetimes.ts';
import type { Expiry, PluginSnapshot, PluginTransaction } from './plugin-transaction.ts';

/** What plugins may do with a snapshot of the store. */
export const narrowSnapshot = (snapshot: Snapshot): PluginSnapshot => new NarrowSnapshot(snapshot);

/** What plugins may do in a write transaction. One for each transaction, so that plugins may keep notes by it. */
export const narrowTransaction = (transaction: WriteTransaction): PluginTransaction =>
  new NarrowTransaction(transaction);

/** The snapshot of the store behind that of a plugin, for the kernel's own use. */
export let wideSnapshot: (narrow: PluginSnapshot) => Snapshot;

export const isTransaction = (narrow: PluginSnapshot): narrow is PluginTransaction =>
  narrow instanceof NarrowTransaction;

/** The transaction of the store behind that of a plugin, for the kernel's own use. */
export const wideTransaction = (narrow: PluginTransaction): WriteTransaction => {
  if (!isTransaction(narrow)) throw new Error('this is no write transaction that the node has given out');
  return wideSnapshot(narrow) as WriteTransaction;
};

/** The port lies in a private member, so that a plugin cannot get at it. */
class NarrowSnapshot implements PluginSnapshot {
  readonly #wide: Snapshot;

  static {
    wideSnapshot = (narrow) => {
      if (narrow instanceof NarrowSnapshot) return narrow.#wide;
      throw new Error('this is no snapshot or transaction that the node has given out');
    };
  }

  constructor(wide: Snapshot) {
    this.#wide = wide;
  }

  find(query: FactQuery): Promise<StoredFact[]> {
    return this.#wide.find(query);
  }

  outline(filter: Filter): Promise<SizedOutline[]> {
    return this.#wide.outline(filter);
  }

  count(filter: Filter): Promise<number> {
    return this.#wide.count(filter);
  }

  async get(id: string): Promise<StoredFact | undefined> {
    return (await this.#wide.find({ filter: equals('id', id), order: 'feed', limit: 1 }))[0];
  }

  siblings(triples: readonly TripleKey[], nowMs: number, limit: number): Promise<FactOutline[][]> {
    return this.#wide.siblings(triples, nowMs, limit);
  }

  covers(factIds: readonly string[]): Promise<Cover[]> {
    return readCovers(this.#wide, factIds);
  }

  expiries(factIds: readonly string[]): Promise<Expiry[]> {
    return readExpiries(this.#wide, factIds);
  }

  expiriesAfter(tenantId: string, factId: string, limit: number): Promise<Expiry[]> {
    return readExpiriesAfter(this.#wide, tenantId, factId, limit);
  }

  feedAfter(stamp: Hlc, limit: number): Promise<FeedEntry[]> {
    return this.#wide.feedAfter(stamp, limit);
  }

  head(): Promise<Hlc | null> {
    return this.#wide.head();
  }

  epoch(): Promise<string> {
    return this.#wide.epoch();
  }

  databaseMs(): Promise<number> {
    return this.#wide.databaseMs();
  }
}

class NarrowTransaction extends NarrowSnapshot implements PluginTransaction {
  readonly #wide: WriteTransaction;

  constructor(wide: WriteTransaction) {
    super(wide);
    this.#wide = wide;
  }

  cover(covers: readonly Cover[]): Promise<void> {
    return this.#wide.cover(covers);
  }

  setExpiry(factId: string, expiresMs: number, hlc: Hlc): Promise<void> {
    return this.#wide.setExpiry(factId, expiresMs, hlc);
  }
}
