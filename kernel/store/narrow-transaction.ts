import {
  all,
  type Cover,
  equals,
  type FactLink,
  type Hlc,
  type LedgerEntry,
  type LedgerQuery,
  type Snapshot,
  type WriteTransaction,
} from '../../ports/ports.ts';
import { tickHlc } from '../time/hybrid-logical-clock.ts';
import type { Word } from '../vocabulary/define-vocabulary.ts';
import { readCovers, readExpiries, readExpiriesAfter, readFormerExpiries } from './fact-lifetimes.ts';
import type { FactName, PluginSnapshot, PluginTransaction } from './plugin-transaction.ts';

/** Narrows a snapshot of the store to the view of plugins. */
export const narrowSnapshot = (wide: Snapshot): PluginSnapshot => new NarrowSnapshot(wide);

/**
 * Narrows a write transaction to the view of plugins. There is one view per transaction, so that plugins may use it as
 * a key.
 */
export const narrowTransaction = (wide: WriteTransaction): PluginTransaction => new NarrowTransaction(wide);

type Arguments<M extends keyof Snapshot> = Snapshot[M] extends (...given: infer P) => unknown ? P : never;

/**
 * A class, because every read and write creates an instance, and an object of functions would need new functions each
 * time. The store's snapshot is private, so that plugins cannot access it.
 */
class NarrowSnapshot implements PluginSnapshot {
  readonly #wide: Snapshot;

  constructor(wide: Snapshot) {
    this.#wide = wide;
  }

  static wideOf(narrow: object): Snapshot | undefined {
    return #wide in narrow ? narrow.#wide : undefined;
  }

  find(...asked: Arguments<'find'>) {
    return this.#wide.find(...asked);
  }

  outline(...asked: Arguments<'outline'>) {
    return this.#wide.outline(...asked);
  }

  outlineByTriple(...asked: Arguments<'outlineByTriple'>) {
    return this.#wide.outlineByTriple(...asked);
  }

  entitiesWith(...asked: Arguments<'entitiesWith'>) {
    return this.#wide.entitiesWith(...asked);
  }

  entities(...asked: Arguments<'entities'>) {
    return this.#wide.entities(...asked);
  }

  texts(...asked: Arguments<'texts'>) {
    return this.#wide.texts(...asked);
  }

  count(...asked: Arguments<'count'>) {
    return this.#wide.count(...asked);
  }

  async get(tenantId: string, id: string) {
    const filter = all(equals('tenantId', tenantId), equals('id', id));
    return (await this.#wide.find({ filter, order: 'feed', limit: 1 }))[0];
  }

  siblings(...asked: Arguments<'siblings'>) {
    return this.#wide.siblings(...asked);
  }

  covers(facts: readonly FactName[]) {
    return readCovers(this.#wide, facts);
  }

  expiries(facts: readonly FactName[]) {
    return readExpiries(this.#wide, facts);
  }

  formerExpiries(facts: readonly FactName[], after: Hlc) {
    return readFormerExpiries(this.#wide, facts, after);
  }

  expiriesAfter(tenantId: string, factId: string, limit: number) {
    return readExpiriesAfter(this.#wide, tenantId, factId, limit);
  }

  ledger<M extends keyof LedgerEntry = keyof LedgerEntry>(query: LedgerQuery<M>) {
    return this.#wide.ledger(query);
  }

  ledgerCount(...asked: Arguments<'ledgerCount'>) {
    return this.#wide.ledgerCount(...asked);
  }

  ledgerHead(...asked: Arguments<'ledgerHead'>) {
    return this.#wide.ledgerHead(...asked);
  }

  ledgerEnds() {
    return this.#wide.ledgerEnds();
  }

  ledgerNumberAt(...asked: Arguments<'ledgerNumberAt'>) {
    return this.#wide.ledgerNumberAt(...asked);
  }

  feedAfter(...asked: Arguments<'feedAfter'>) {
    return this.#wide.feedAfter(...asked);
  }

  announced(...asked: Arguments<'announced'>) {
    return this.#wide.announced(...asked);
  }

  head() {
    return this.#wide.head();
  }

  epoch() {
    return this.#wide.epoch();
  }

  databaseMs() {
    return this.#wide.databaseMs();
  }

  pastFloor() {
    return this.#wide.pastFloor();
  }
}

class NarrowTransaction extends NarrowSnapshot implements PluginTransaction {
  readonly #wide: WriteTransaction;

  constructor(wide: WriteTransaction) {
    super(wide);
    this.#wide = wide;
  }

  static transactionOf(narrow: object): WriteTransaction | undefined {
    return #wide in narrow ? narrow.#wide : undefined;
  }

  cover(covers: readonly Cover[]) {
    return this.#wide.cover(covers);
  }

  setExpiry(factId: string, expiresMs: number, hlc: Hlc, since?: Hlc) {
    return this.#wide.setExpiry(factId, expiresMs, hlc, since);
  }

  raisePastFloor(stamp: Hlc) {
    return this.#wide.raisePastFloor(stamp);
  }

  dropPast(limit: number) {
    return this.#wide.dropPast(limit);
  }

  takeNumbers(count: number) {
    return this.#wide.takeNumbers(count);
  }

  addLinks(links: readonly { readonly number: number; readonly link: FactLink }[]) {
    return this.#wide.addLinks(links);
  }

  async announce(kind: Word, subjectIds: readonly string[], nowMs: number): Promise<Hlc> {
    const wide = this.#wide;
    let stamp = await wide.lockClock();
    const entries = subjectIds.map((subjectId) => {
      stamp = tickHlc(stamp, nowMs);
      return { stamp, kind: kind.id, subjectId };
    });
    await wide.announce(entries);
    await wide.saveClock(stamp);
    return stamp;
  }
}

export const isTransaction = (narrow: PluginSnapshot): narrow is PluginTransaction =>
  NarrowTransaction.transactionOf(narrow) !== undefined;

/** Returns the store's snapshot behind that of a plugin, for the kernel's own use. */
export const wideSnapshot = (narrow: PluginSnapshot): Snapshot => {
  const wide = NarrowSnapshot.wideOf(narrow);
  if (wide === undefined) throw new Error('this is no snapshot or transaction that the node has given out');
  return wide;
};

/** Returns the store's transaction behind that of a plugin, for the kernel's own use. */
export const wideTransaction = (narrow: PluginTransaction): WriteTransaction => {
  const wide = NarrowTransaction.transactionOf(narrow);
  if (wide === undefined) throw new Error('this is no write transaction that the node has given out');
  return wide;
};
