import type { DocumentTable } from './document-table.ts';

/**
 * For each document of a list, the newest one up to it. A search from the end stops where nothing newer can follow.
 * Documents mostly arrive in the order of their stamps, so only late ones take memory, such as facts of other nodes.
 */
export class NewestMarks {
  readonly #documents: DocumentTable;
  /** By document: the number of the newest one up to it, plus one; 0 if that is the document itself. */
  #marks = new Uint32Array(0);

  constructor(documents: DocumentTable) {
    this.#documents = documents;
  }

  /** Returns the newest document up to this one. */
  upTo(document: number): number {
    const mark = this.#marks[document] ?? 0;
    return mark === 0 ? document : mark - 1;
  }

  /** Records a document that is added after `last`. */
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
