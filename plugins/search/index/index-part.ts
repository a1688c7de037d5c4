import type { Scope } from '../../../kernel/thread-api.ts';
import { WordList } from '../words/word-list.ts';
import type { DocumentTable } from './document-table.ts';
import { firstPlace, StampedList } from './stamped-list.ts';

/** Which facts a part holds. */
export interface PartName {
  readonly tenantId: string;
  readonly scope: Scope;
  /** Null outside gardens. */
  readonly gardenId: string | null;
}

/**
 * All documents that are visible to the same readers: one tenant, one scope, one garden or none. Its statistics are its
 * own, and count ended documents too, so that the end of a fact changes the score of no other. Documents that are
 * withheld are not counted.
 */
export class IndexPart implements PartName {
  readonly number: number;
  readonly tenantId: string;
  readonly scope: Scope;
  readonly gardenId: string | null;
  readonly realm: number;
  /** Words of all documents. */
  totalLength = 0;
  /** Documents by ordinal. */
  readonly documents = new WordList();
  /** Words of the documents before every 64th ordinal. */
  readonly #lengthsBefore: number[] = [];
  /** Ordinals of those that are not live at all times; of those that have ended, in that order. */
  readonly ended = new StampedList();
  readonly expiring = new WordList();
  /** Ordinals of those with a confidence below `FAINT`. */
  readonly faint = new WordList();
  leastConfidence = 1;
  /** Ordinals of those that are withheld, each with its words. */
  readonly withheld = new Map<number, number>();
  withheldLength = 0;

  constructor(number: number, name: PartName, realm: number) {
    this.number = number;
    this.tenantId = name.tenantId;
    this.scope = name.scope;
    this.gardenId = name.gardenId;
    this.realm = realm;
  }

  get count(): number {
    return this.documents.length;
  }

  /** Ordinals of the documents below a number are those below the result. */
  countBelow(document: number): number {
    return firstPlace(this.count, (ordinal) => this.documents.at(ordinal) >= document);
  }

  /** The statistics of its first `count` documents: how many, and their words. */
  statisticsOf(count: number, table: DocumentTable): PartStatistics {
    if (count === this.count) {
      return { documents: count - this.withheld.size, length: this.totalLength - this.withheldLength };
    }
    let length = this.#lengthsBefore[count >>> BLOCK_BITS] ?? this.totalLength;
    for (let ordinal = count & ~BLOCK_MASK; ordinal < count; ordinal += 1) {
      length += table.lengthOf(this.documents.at(ordinal));
    }
    let documents = count;
    for (const [ordinal, words] of this.withheld) {
      if (ordinal >= count) continue;
      documents -= 1;
      length -= words;
    }
    return { documents, length };
  }

  /** Adds a new document by its number, with the members that may take it out of a search. */
  add(document: number, length: number, confidence: number, expiresMs: number): void {
    const ordinal = this.count;
    if ((ordinal & BLOCK_MASK) === 0) this.#lengthsBefore.push(this.totalLength);
    this.totalLength += length;
    this.documents.push(document);
    this.leastConfidence = Math.min(this.leastConfidence, confidence);
    if (confidence < FAINT) this.faint.push(ordinal);
    if (expiresMs !== Number.POSITIVE_INFINITY) this.expiring.push(ordinal);
  }
}

export interface PartStatistics {
  readonly documents: number;
  readonly length: number;
}

const BLOCK_BITS = 6;
const BLOCK_MASK = (1 << BLOCK_BITS) - 1;

/** Searches ask for more confidence than this rarely, and then look at every document. */
export const FAINT = 0.5;
