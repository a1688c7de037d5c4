import type { Scope } from '../../../kernel/thread-api.ts';
import { WordList } from '../words/word-list.ts';
import type { DocumentTable } from './document-table.ts';
import { firstPlace, StampedList } from './stamped-list.ts';

/** Identifies the facts of a part. */
export interface PartName {
  readonly tenantId: string;
  readonly scope: Scope;
  /** Null for facts outside gardens. */
  readonly gardenId: string | null;
}

/**
 * All documents that are visible to the same readers: one tenant, one scope, and one garden or none. Each part has its
 * own statistics. They include ended documents, so that the end of a fact changes no other score, but exclude withheld
 * ones.
 */
export class IndexPart implements PartName {
  readonly number: number;
  readonly tenantId: string;
  readonly scope: Scope;
  readonly gardenId: string | null;
  readonly realm: number;
  /** The number of words of all documents. */
  totalLength = 0;
  /** Document numbers by ordinal. */
  readonly documents = new WordList();
  /** The number of words of the documents before every 64th ordinal. */
  readonly #lengthsBefore: number[] = [];
  /** Ordinals of the ended documents, in the order of their ends. */
  readonly ended = new StampedList();
  /** Ordinals of documents with a beginning or an expiry. */
  readonly bounded = new WordList();
  /** Ordinals of documents with a confidence below `FAINT`. */
  readonly faint = new WordList();
  leastConfidence = 1;
  /** The number of words of each withheld document, by ordinal. */
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

  /** Returns the number of documents of this part below a document number; these have the ordinals below the result. */
  countBelow(document: number): number {
    return firstPlace(this.count, (ordinal) => this.documents.at(ordinal) >= document);
  }

  /** Returns the statistics of the first `count` documents. */
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

  /** Adds a new document by its number, with the members that may exclude it from a search. */
  add(document: number, length: number, confidence: number, isBounded: boolean): void {
    const ordinal = this.count;
    if ((ordinal & BLOCK_MASK) === 0) this.#lengthsBefore.push(this.totalLength);
    this.totalLength += length;
    this.documents.push(document);
    this.leastConfidence = Math.min(this.leastConfidence, confidence);
    if (confidence < FAINT) this.faint.push(ordinal);
    if (isBounded) this.bounded.push(ordinal);
  }
}

export interface PartStatistics {
  readonly documents: number;
  readonly length: number;
}

const BLOCK_BITS = 6;
const BLOCK_MASK = (1 << BLOCK_BITS) - 1;

/** Searches rarely require a higher confidence than this. Those that do test every document. */
export const FAINT = 0.5;
