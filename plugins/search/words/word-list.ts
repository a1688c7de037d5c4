/** A growing list of unsigned 32-bit numbers, in an array that doubles. */
export class WordList {
  #words = new Uint32Array(8);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  push(word: number): void {
    if (this.#length === this.#words.length) {
      const larger = new Uint32Array(this.#length * 2);
      larger.set(this.#words);
      this.#words = larger;
    }
    this.#words[this.#length] = word;
    this.#length += 1;
  }

  at(place: number): number {
    return this.#words[place] as number;
  }

  /** Returns the present words; later ones are appended outside of this view. */
  view(): Uint32Array {
    return this.#words.subarray(0, this.#length);
  }
}
