import type { DocumentTable } from './document-table.ts';

/**
 * The newest document up to each one of a list. Documents come nearly always in the order of their stamps, so only late
 * ones, such as facts of other nodes, take room. A walk from the end knows by it whether something newer is still to
 * come.
 */
export class NewestMarks {
  readonly #documents: DocumentTable;
  /** By document, plus one; 0 for a document that is the newest itself. */
  #marks = new Uint32Array(0);

  constructor(documents: DocumentTable) {
    this.#documents = documents;
  }

  /** Neither the document nor one before it is newer than this one. */
  upTo(document: number): number {
    const mark = this.#marks[document] ?? 0;
    return mark === 0 ? document : mark - 1;
  }

  /** Notes a document that is added behind `last`. */
  note(document: number, last: number): void {
    const newest = this.upTo(last);
    if (!this.#documents.isOlder(document, newest)) return;
    if (this.#marks.length <= document) {
      const larger = new Uint32Array(Math.max(LEAST_ROOM, document * 2));
      larger.set(this.#marks);
      this.#marks = larger;
    }
    this.#marks[document] = newest + 1;
  }
}

const LEAST_ROOM = 1_024;
