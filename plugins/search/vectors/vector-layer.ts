import type { FactName } from '../../../kernel/internal-api.ts';
import { vectorOfCode } from '../codes/quantise.ts';
import { type DocumentTable, ORDINAL, PART } from '../index/document-table.ts';
import type { IndexPart } from '../index/index-part.ts';
import type { IndexState } from '../index/index-state.ts';
import type { ViewFilter } from '../index/view-filter.ts';
import { countOf, everyNth, setBit } from './chosen-bits.ts';
import type { CodePlace, CodeTable, VectorCodes } from './vector-codes.ts';

/**
 * The vectors that one embedder has made of the documents of an index. Another embedder has another layer, which can be
 * filled while the first one serves.
 */
export class VectorLayer<T extends CodeTable = CodeTable> {
  readonly #state: IndexState;
  readonly #codes: VectorCodes<T>;
  readonly #tables: (T | undefined)[];

  /** `tables` hold the codes of a snapshot, by the number of their part. */
  constructor(state: IndexState, codes: VectorCodes<T>, tables: readonly (T | undefined)[] = []) {
    this.#state = state;
    this.#codes = codes;
    this.#tables = [...tables];
  }

  get dimensions(): number {
    return this.#codes.dimensions;
  }

  /** Tables by the number of their part, for snapshots. Indexes of the same feed number parts and documents alike. */
  get tables(): readonly (T | undefined)[] {
    return this.#tables;
  }

  /** Returns the table of a part, and creates it if it is missing. */
  tableOf(part: number): T {
    const known = this.#tables[part];
    if (known !== undefined) return known;
    const table = this.#codes.createTable();
    this.#tables[part] = table;
    return table;
  }

  /**
   * Stores or replaces the vector of a fact. Returns false if the index does not have the fact, and for a damaged code,
   * which has another length: one such row must not end the reading of all others.
   */
  set(fact: FactName, code: Int8Array, scale: number): boolean {
    const { documents } = this.#state;
    const document = this.#state.documentOf(fact);
    if (document < 0 || code.length !== this.dimensions) return false;
    this.tableOf(documents.word(document, PART)).set(documents.word(document, ORDINAL), code, scale);
    return true;
  }

  /** Deletes the vector of a fact. Returns false if there was none. */
  delete(fact: FactName): boolean {
    const { documents } = this.#state;
    const document = this.#state.documentOf(fact);
    if (document < 0) return false;
    return this.#tables[documents.word(document, PART)]?.delete(documents.word(document, ORDINAL)) ?? false;
  }

  has(fact: FactName): boolean {
    const { documents } = this.#state;
    const document = this.#state.documentOf(fact);
    return document >= 0 && this.#hasDocument(documents, document);
  }

  /** Returns the stored vector of a document; undefined if it has none. */
  vectorOf(document: number): Float32Array | undefined {
    const { documents } = this.#state;
    const table = this.#tables[documents.word(document, PART)];
    const found = table?.get(documents.word(document, ORDINAL));
    return found === undefined ? undefined : vectorOfCode(found);
  }

  /** Returns the documents nearest to a unit vector, best first, then newest first. */
  search(vector: Float32Array, floor: number, filter: ViewFilter, limit: number): Similar[] {
    const targets = this.#targetsOf(filter);
    const { documents } = this.#state;
    const documentAt = ({ target, ordinal }: CodePlace): number =>
      (targets[target] as { readonly part: IndexPart }).part.documents.at(ordinal);
    const newestFirst = (a: CodePlace, b: CodePlace): number =>
      documents.isOlder(documentAt(a), documentAt(b)) ? 1 : -1;
    const found = this.#codes.search(vector, targets, floor, limit, newestFirst);
    return found.map((hit) => ({ document: documentAt(hit), score: hit.similarity }));
  }

  /**
   * Returns the similarities of an even sample of the documents that the filter accepts, in no order: of all of them if
   * there are at most `most`. Rejected documents do not affect the sample.
   */
  sample(vector: Float32Array, filter: ViewFilter, most: number): Float64Array {
    const targets = this.#targetsOf(filter);
    const accepted = targets.reduce((sum, { part, accepts }) => sum + countOf(accepts, filter.countOf(part)), 0);
    const stride = Math.ceil(accepted / most);
    const taken = targets.map(({ part, table, accepts }) => ({
      table,
      accepts: stride > 1 ? everyNth(accepts, filter.countOf(part), stride) : accepts,
    }));
    return this.#codes.similarities(vector, taken, most + targets.length);
  }

  /** Returns the similarities, best first, of the given documents that have a vector and that the filter accepts. */
  similaritiesOf(documents: readonly number[], vector: Float32Array, filter: ViewFilter): Similar[] {
    const { documents: table } = this.#state;
    const wanted = documents.filter((document) => filter.accepts(document));
    const opened = this.#targetsOf(filter);
    const targets = opened.map(({ part, table: codes }) => {
      const accepts = new Uint32Array((filter.countOf(part) + 31) >>> 5);
      for (const document of wanted) {
        if (table.word(document, PART) === part.number) setBit(accepts, table.word(document, ORDINAL));
      }
      return { table: codes, accepts };
    });
    return this.#codes.search(vector, targets, LOWEST, wanted.length).map(({ target, ordinal, similarity }) => ({
      document: (opened[target] as { readonly part: IndexPart }).part.documents.at(ordinal),
      score: similarity,
    }));
  }

  #targetsOf(filter: ViewFilter) {
    return filter.parts.flatMap((part) => {
      const table = this.#tables[part.number];
      return table === undefined ? [] : [{ part, table, accepts: filter.bitsOf(part) }];
    });
  }

  #hasDocument(documents: DocumentTable, document: number): boolean {
    return this.#tables[documents.word(document, PART)]?.has(documents.word(document, ORDINAL)) ?? false;
  }
}

/** A document with its cosine similarity to the query. */
export interface Similar {
  readonly document: number;
  readonly score: number;
}

/** Below every cosine, even after rounding. */
const LOWEST = -2;
