import { type Reply, sha256Hex } from '../../kernel/plugin-api.ts';

/** A document that is made once in the life of a process, at its first request. */
export class KeptDocument {
  readonly #contentType: string;
  readonly #make: () => Promise<string>;
  #made: Promise<Made> | undefined;

  constructor(contentType: string, make: () => Promise<string>) {
    this.#contentType = contentType;
    this.#make = make;
  }

  /** Replies with the document, or with 304 to a client that has it. `known` is the `If-None-Match` of the request. */
  async reply(known: string | undefined, headers: Readonly<Record<string, string>>): Promise<Reply> {
    const { bytes, tag } = await this.#read();
    const tagged = { ...headers, ETag: tag };
    if (known !== undefined && isAmong(tag, known)) return { status: 304, headers: tagged };
    return { status: 200, headers: tagged, bytes, contentType: this.#contentType };
  }

  /** The next request tries again to make a document that could not be made. */
  #read(): Promise<Made> {
    this.#made ??= this.#make().then(
      (text) => ({ bytes: Buffer.from(text), tag: `"${sha256Hex(text).slice(0, TAG_DIGITS)}"` }),
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

const TAG_DIGITS = 32;

/** Compared weakly, as RFC 9110 asks for here. */
const isAmong = (tag: string, known: string): boolean =>
  known.trim() === '*' || known.split(',').some((each) => each.trim().replace(/^W\//, '') === tag);
