import type { Reply } from '../../kernel/plugin-api.ts';
import { sha256Hex } from '../../kernel/plugin-api.ts';

/** A document that is made once in the life of a process, at its first request. */
export class KeptDocument {
  readonly #contentType: string;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #make: () => Promise<string>;
  #made: Promise<Made> | undefined;

  constructor(contentType: string, make: () => Promise<string>, headers: Readonly<Record<string, string>> = {}) {
    this.#contentType = contentType;
    this.#make = make;
    this.#headers = headers;
  }

  /** Replies with the document, or with 304 to a client that has it. `known` is the `If-None-Match` of the request. */
  async reply(known: string | undefined): Promise<Reply> {
    const { bytes, tag } = await this.#read();
    const headers = { ...this.#headers, ETag: tag };
    if (known !== undefined && isAmong(tag, known)) return { status: 304, headers };
    return { status: 200, headers, bytes, contentType: this.#contentType };
  }

  /** A document that could not be made is tried again by the next request. */
  #read(): Promise<Made> {
    this.#made ??= this.#make().then(
      (text) => ({ bytes: Buffer.from(text), tag: `"${sha256Hex(text).slice(0, 32)}"` }),
      (error: unknown) => {
        this.#made = undefined;
        throw error;
      },
    );
    return this.#made;
  }
}

interface Made {
  readonly bytes: Uint8Array;
  readonly tag: string;
}

/** Compared weakly, as RFC 9110 asks for here. */
const isAmong = (tag: string, known: string): boolean =>
  known.trim() === '*' || known.split(',').some((each) => each.trim().replace(/^W\//, '') === tag);
