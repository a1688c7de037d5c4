import type { Scope } from '../../../ports/ports.ts';
import { WordList } from '../words/word-list.ts';

/** Which facts a part holds. */
export interface PartName {
  readonly tenantId: string;
  readonly scope: Scope;
  /** Null outside gardens. */
  readonly gardenId: string | null;
}

/**
 * All documents that are visible to the same readers: one tenant, one scope, one garden or none. Its statistics are its
 * own, and count a document whatever has become of it, so that what ends a fact changes the score of no other.
 * Documents that are withheld are not counted.
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
  /** Ordinals of those that are not live at all times. */
  readonly ended = new WordList();
  readonly expiring = new WordList();
  /** Ordinals of those with a confidence below `FAINT`. */
  readonly faint = new WordList();
  leastConfidence = 1;
  /** Ordinals of those that are withheld, and the words of all of them. */
  readonly withheld = new Set<number>();
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

  /** Documents that its statistics count, and the words of these. */
  get countedDocuments(): number {
    return this.count - this.withheld.size;
  }

  get countedLength(): number {
    return this.totalLength - this.withheldLength;
  }

  /** Takes in the number of a new document and what may take it out of a search. */
  add(document: number, confidence: number, expiresMs: number): void {
    const ordinal = this.count;
    this.documents.push(document);
    this.leastConfidence = Math.min(this.leastConfidence, confidence);
    if (confidence < FAINT) this.faint.push(ordinal);
    if (expiresMs !== Number.POSITIVE_INFINITY) this.expiring.push(ordinal);
  }
}

/** Searches ask for more confidence than this rarely, and then look at every document. */
export const FAINT = 0.5;
