/**
 * The member names of one object. It compares a few names in place, because extracting them would cost more than all
 * other work.
 */
export class JsonNameList {
  /** Three numbers per name: fingerprint, position of the first quote, position after the last quote. */
  readonly #spans: number[] = [];
  #names: Set<string> | undefined;
  #count = 0;

  get count(): number {
    return this.#count;
  }

  /** Adds the name between two quotes; returns false for a duplicate. `"a"` and `"\u0061"` are the same name. */
  add(bytes: Buffer, open: number, end: number, isEscaped: boolean): boolean {
    this.#count += 1;
    const spans = this.#spans;
    if (isEscaped || this.#names !== undefined || spans.length === MAX_SPANS)
      return this.#addToSet(bytes, open, end, isEscaped);
    const print = fingerprint(bytes, open, end);
    for (let at = 0; at < spans.length; at += 3) {
      if (spans[at] !== print) continue;
      if (bytes.compare(bytes, spans[at + 1], spans[at + 2], open, end) === 0) return false;
    }
    spans.push(print, open, end);
    return true;
  }

  #addToSet(bytes: Buffer, open: number, end: number, isEscaped: boolean): boolean {
    if (this.#names === undefined) {
      this.#names = new Set();
      for (let at = 0; at < this.#spans.length; at += 3) {
        this.#names.add(rawName(bytes, this.#spans[at + 1] as number, this.#spans[at + 2] as number));
      }
    }
    const size = this.#names.size;
    return this.#names.add((isEscaped ? decodedName : rawName)(bytes, open, end)).size > size;
  }
}

/** Returns the bytes of a name without escapes as characters, which is cheaper than decoding it. */
const rawName = (bytes: Buffer, open: number, end: number): string => bytes.toString('latin1', open + 1, end - 1);

/** Returns a name with escapes as its unescaped spelling would be returned by `rawName`. */
const decodedName = (bytes: Buffer, open: number, end: number): string => {
  const name = JSON.parse(bytes.toString('utf8', open, end)) as string;
  // Encoding would make all lone surrogates equal.
  return name.isWellFormed() ? Buffer.from(name).toString('latin1') : name;
};

/** Returns a 30-bit hash of a name, which an array holds without boxing. */
const fingerprint = (bytes: Buffer, open: number, end: number): number => {
  const first = bytes[open + 1] as number;
  const middle = bytes[(open + end) >> 1] as number;
  const last = bytes[end - 2] as number;
  return (((end - open) << 10) ^ (middle << 15) ^ (first << 5) ^ last) & 0x3fffffff;
};

/** The maximum length of the list, for twelve names. For more, a set is faster. */
const MAX_SPANS = 36;
