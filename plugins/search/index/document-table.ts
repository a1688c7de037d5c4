import { compareHlc, type Hlc } from '../../../kernel/thread-api.ts';
import { DocumentLengths } from './document-lengths.ts';
import { IdTable } from './id-table.ts';
import { PagedRows } from './paged-rows.ts';
import { tenantOfRealm } from './realm.ts';
import { firstPlace, StampedList } from './stamped-list.ts';
import type { Hash64 } from './text-hash.ts';

/** The members of a fact that the index stores, apart from its words and its vector. */
export interface DocumentMembers {
  readonly id: string;
  readonly hlc: Hlc;
  readonly feed: Hlc;
  /** The number of words of its text. */
  readonly length: number;
  /** The beginning in milliseconds; 0 for a fact without one. */
  readonly beginsMs: number;
  /** The expiry in milliseconds; `Infinity` for a fact that does not expire. */
  readonly expiresMs: number;
  readonly confidence: number;
  readonly part: number;
  /** Index among the documents of its part. */
  readonly ordinal: number;
  readonly realm: number;
  readonly norm: number;
  readonly entity: Hash64;
  readonly relation: Hash64;
  /** Zeros outside sessions. */
  readonly session: Hash64;
  /** Zeros for facts of this node. */
  readonly speaker: Hash64;
  /** The beginning of the fact, or its timestamp without one, in milliseconds. */
  readonly speaksOfMs: number;
  readonly source: Hash64;
  /** The principal who asserted it; zeros for facts of a peer. */
  readonly asserter: Hash64;
}

/** Flag of a document that a cover has ended. */
export const ENDED = 1;
/** Flag of a document with a time-to-live. */
export const TIMED = 2;
/** Flag of a document whose time-to-live was already over when it was set. */
export const TIMED_LATE = 4;
/** Flag of a document with a time-to-live that replaced another one. */
export const TIMED_AGAIN = 8;

/**
 * Documents by number, in the order of the feed. They are only ever added. Only the expiry, flags and chains of a
 * document change.
 */
export class DocumentTable {
  readonly rows = new PagedRows(ROW_WORDS);
  readonly ids: IdTable;
  /** Norms and flags of the documents, apart from their rows because scoring reads them for every posting. */
  norms = new Uint8Array(1_024);
  flags = new Uint8Array(1_024);
  readonly lengths = new DocumentLengths();
  /** Documents whose feed stamp differs from their own stamp: those of other nodes, and restored ones. */
  readonly received = new StampedList();

  constructor(seed: number) {
    this.ids = new IdTable(this.rows, ID, seed, (document) => this.tenantOf(document));
  }

  get count(): number {
    return this.rows.count;
  }

  add(members: DocumentMembers): number {
    const document = this.rows.append();
    const doubles = this.rows.doublesOf(document);
    const doubleAt = this.rows.doubleAt(document);
    doubles[doubleAt + HLC_WALL] = members.hlc.wallMs;
    doubles[doubleAt + EXPIRES] = members.expiresMs;
    doubles[doubleAt + CONFIDENCE] = members.confidence;
    doubles[doubleAt + BEGINS] = members.beginsMs;
    doubles[doubleAt + SPEAKS_OF] = members.speaksOfMs;
    const words = this.rows.wordsOf(document);
    const at = this.rows.wordAt(document);
    words[at + HLC_COUNTER] = members.hlc.counter;
    words[at + PART] = members.part;
    words[at + ORDINAL] = members.ordinal;
    words[at + REALM] = members.realm;
    for (const [member, hash] of hashesOf(members)) {
      words[at + member] = hash.hi;
      words[at + member + 1] = hash.lo;
    }
    this.ids.add(members.id, document);
    this.#reserve(document + 1);
    this.norms[document] = members.norm;
    this.lengths.add(document, members.length);
    if (compareHlc(members.feed, members.hlc) !== 0) this.received.push(document, members.feed);
    return document;
  }

  /** Returns the number of documents at a feed stamp. They are the first ones. */
  countUpTo({ wallMs, counter }: Hlc): number {
    const received = this.received.numbers;
    const known = this.received.countUpTo({ wallMs, counter });
    // Received documents are not in the order of stamps. The last one up to the stamp and the first one after it limit
    // the binary search among the others.
    const from = known === 0 ? 0 : received.at(known - 1) + 1;
    const to = known === received.length ? this.count : received.at(known);
    return from + firstPlace(to - from, (place) => !this.isUpTo(from + place, wallMs, counter));
  }

  lengthOf(document: number): number {
    return this.lengths.of(document, this.norms[document] as number);
  }

  /** Number of the document's tenant. */
  tenantOf(document: number): number {
    return tenantOfRealm(this.word(document, REALM));
  }

  word(document: number, member: number): number {
    return this.rows.wordsOf(document)[this.rows.wordAt(document) + member] as number;
  }

  setWord(document: number, member: number, value: number): void {
    this.rows.wordsOf(document)[this.rows.wordAt(document) + member] = value;
  }

  double(document: number, member: number): number {
    return this.rows.doublesOf(document)[this.rows.doubleAt(document) + member] as number;
  }

  setExpiry(document: number, expiresMs: number): void {
    this.rows.doublesOf(document)[this.rows.doubleAt(document) + EXPIRES] = expiresMs;
  }

  /** True if the stamp of the document is below this stamp. */
  isBefore(document: number, wallMs: number, counter: number): boolean {
    const own = this.double(document, HLC_WALL);
    return own < wallMs || (own === wallMs && this.word(document, HLC_COUNTER) < counter);
  }

  /** True if the stamp of the document is at or below this stamp. */
  isUpTo(document: number, wallMs: number, counter: number): boolean {
    return this.isBefore(document, wallMs, counter + 1);
  }

  /**
   * True if a document is older than another one: by its stamp, then by its identifier. All indexes of the same facts
   * agree, in any order of arrival.
   */
  isOlder(document: number, than: number): boolean {
    const [own, other] = [this.double(document, HLC_WALL), this.double(than, HLC_WALL)];
    if (own !== other) return own < other;
    const [counter, otherCounter] = [this.word(document, HLC_COUNTER), this.word(than, HLC_COUNTER)];
    if (counter !== otherCounter) return counter < otherCounter;
    return this.ids.idOf(document) > this.ids.idOf(than);
  }

  has(document: number, member: number, hash: Hash64): boolean {
    return this.word(document, member) === hash.hi && this.word(document, member + 1) === hash.lo;
  }

  readHash(document: number, member: number, into: Hash64): void {
    into.hi = this.word(document, member);
    into.lo = this.word(document, member + 1);
  }

  /** Returns room for the norms of restored documents from this number on. */
  normsFrom(document: number): Uint8Array {
    this.#reserve(this.count);
    return this.norms.subarray(document, this.count);
  }

  #reserve(count: number): void {
    if (count <= this.norms.length) return;
    const capacity = Math.max(count, this.norms.length * 2);
    const [norms, flags] = [new Uint8Array(capacity), new Uint8Array(capacity)];
    norms.set(this.norms);
    flags.set(this.flags);
    this.norms = norms;
    this.flags = flags;
  }
}

/** Offsets of the doubles in a row. */
export const HLC_WALL = 0;
export const EXPIRES = 1;
export const CONFIDENCE = 2;
export const BEGINS = 3;
export const SPEAKS_OF = 4;
/** Offsets of the 32-bit words in a row. A hash takes two. */
export const HLC_COUNTER = 10;
export const PART = 11;
export const ORDINAL = 12;
/** Number of the next older document of the entity, plus one; 0 for none. */
export const ENTITY_CHAIN = 13;
/** Number of the next older document of the triple that was not ended, plus one; 0 for none. */
export const TRIPLE_CHAIN = 14;
const ID = 15;
export const ENTITY = 19;
export const RELATION = 21;
export const SESSION = 23;
/** Tenant and scope. */
export const REALM = 25;
export const SPEAKER = 26;
export const SOURCE = 28;
export const ASSERTER = 30;
const ROW_WORDS = 32;

const hashesOf = ({ entity, relation, session, speaker, source, asserter }: DocumentMembers) =>
  [
    [ENTITY, entity],
    [RELATION, relation],
    [SESSION, session],
    [SPEAKER, speaker],
    [SOURCE, source],
    [ASSERTER, asserter],
  ] as const;
