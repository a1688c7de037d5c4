/**
 * Documents that no search may find for now, and the number of their postings in each list. A search subtracts both, so
 * that its scores are those of an index without them.
 */
export class WithheldDocuments {
  readonly #documents = new Set<number>();
  readonly #postings = new Map<number, number>();

  has(document: number): boolean {
    return this.#documents.size > 0 && this.#documents.has(document);
  }

  /** Returns a bit for each of the first documents, set for the withheld ones. */
  bits(documents: number): Uint32Array {
    const bits = new Uint32Array((documents + 31) >>> 5);
    for (const document of this.#documents) {
      if (document < documents) bits[document >>> 5] = (bits[document >>> 5] as number) | (1 << (document & 31));
    }
    return bits;
  }

  /** Returns false if nothing changes. */
  set(document: number, isWithheld: boolean): boolean {
    if (this.#documents.has(document) === isWithheld) return false;
    if (isWithheld) this.#documents.add(document);
    else this.#documents.delete(document);
    return true;
  }

  /** Counts a posting of a withheld document, or takes it back. */
  count(list: number, change: 1 | -1): void {
    const counted = this.postingsIn(list) + change;
    if (counted > 0) this.#postings.set(list, counted);
    else this.#postings.delete(list);
  }

  postingsIn(list: number): number {
    return this.#postings.size === 0 ? 0 : (this.#postings.get(list) ?? 0);
  }
}
