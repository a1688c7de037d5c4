/**
 * Memory in which short messages are spelled one after another, because an object for each costs more than its hash. A
 * message counts only until the next one is spelled.
 */
export class Scratch {
  readonly bytes: Buffer;
  /** The first bytes, by their number. */
  readonly #starts: (Buffer | undefined)[] = [];

  constructor(most: number) {
    this.bytes = Buffer.alloc(most);
  }

  /** Returns the first `from` bytes as they are, with the parts behind them. */
  spell(from: number, parts: readonly (string | Uint8Array)[]): Buffer {
    const { bytes } = this;
    let at = from;
    for (const part of parts) {
      // A character of UTF-16 has at most three bytes in UTF-8.
      const most = typeof part === 'string' ? 3 * part.length : part.length;
      if (at + most > bytes.length) return this.#spellLong(from, parts);
      if (typeof part === 'string') at += bytes.write(part, at);
      else {
        bytes.set(part, at);
        at += part.length;
      }
    }
    this.#starts[at] ??= bytes.subarray(0, at);
    return this.#starts[at] as Buffer;
  }

  #spellLong(from: number, parts: readonly (string | Uint8Array)[]): Buffer {
    const spelled = parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : part));
    return Buffer.concat([this.bytes.subarray(0, from), ...spelled]);
  }
}
