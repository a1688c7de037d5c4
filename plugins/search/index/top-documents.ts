/** Compares documents of equal score: true if the first one is older and ranks below the other. */
export type IsOlder = (document: number, than: number) => boolean;

const inOrderOfNumbers: IsOlder = (document, than) => document < than;

/**
 * Collects the best offered documents, at most `limit`: highest score first, then newest first. A heap whose root ranks
 * last.
 */
export class TopDocuments {
  readonly #limit: number;
  readonly #isOlder: IsOlder;
  readonly #scores: Float64Array;
  readonly #documents: Uint32Array;
  #count = 0;

  /**
   * At most `most` documents will be offered, which bounds the allocation. Without `isOlder` the lower number counts as
   * older.
   */
  constructor(limit: number, most: number, isOlder: IsOlder = inOrderOfNumbers) {
    this.#limit = limit;
    this.#isOlder = isOlder;
    this.#scores = new Float64Array(Math.min(limit, most));
    this.#documents = new Uint32Array(Math.min(limit, most));
  }

  /** The least score that a further document needs. An equal one may still enter. */
  get threshold(): number {
    return this.#count < this.#limit ? 0 : (this.#scores[0] as number);
  }

  /** The lowest-ranked document of a full heap; undefined while there is room. */
  get last(): number | undefined {
    return this.#count < this.#limit ? undefined : this.#documents[0];
  }

  offer(document: number, score: number): void {
    if (this.#count < this.#limit) {
      this.#count += 1;
      this.#rise(this.#count - 1, document, score);
      return;
    }
    const worst = this.#scores[0] as number;
    if (score < worst || (score === worst && this.#isOlder(document, this.#documents[0] as number))) return;
    this.#sink(document, score, this.#count);
  }

  /** Empties the heap and returns its documents, best first. */
  take(): { readonly document: number; readonly score: number }[] {
    const taken: { document: number; score: number }[] = new Array(this.#count);
    while (this.#count > 0) {
      this.#count -= 1;
      taken[this.#count] = { document: this.#documents[0] as number, score: this.#scores[0] as number };
      this.#sink(this.#documents[this.#count] as number, this.#scores[this.#count] as number, this.#count);
    }
    return taken;
  }

  #rise(from: number, document: number, score: number): void {
    let at = from;
    while (at > 0) {
      const parent = (at - 1) >>> 1;
      if (!this.#isWorse(document, score, parent)) break;
      this.#put(at, this.#documents[parent] as number, this.#scores[parent] as number);
      at = parent;
    }
    this.#put(at, document, score);
  }

  #sink(document: number, score: number, count: number): void {
    let at = 0;
    for (;;) {
      let child = at * 2 + 1;
      if (child >= count) break;
      const right = child + 1;
      if (right < count && this.#isWorse(this.#documents[right] as number, this.#scores[right] as number, child))
        child = right;
      if (this.#isWorse(document, score, child)) break;
      this.#put(at, this.#documents[child] as number, this.#scores[child] as number);
      at = child;
    }
    if (count > 0) this.#put(at, document, score);
  }

  #isWorse(document: number, score: number, than: number): boolean {
    const other = this.#scores[than] as number;
    return score < other || (score === other && this.#isOlder(document, this.#documents[than] as number));
  }

  #put(at: number, document: number, score: number): void {
    this.#documents[at] = document;
    this.#scores[at] = score;
  }
}
