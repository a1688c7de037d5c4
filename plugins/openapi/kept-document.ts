import { type Reply, sha256Hex } from '../../kernel/plugin-api.ts';

/** A document that a process makes once, at its first request. */
export class KeptDocument {
  readonly #contentType: string;
  readonly #make: () => Promise<string>;
  #made: Promise<Made> | undefined;

  constructor(contentType: string, make: () => Promise<string>) {
    this.#contentType = contentType;
    this.#make = make;
  }

  /**
   * Replies with the document, or with 304 if the client has the same one. `known` is the `If-None-Match` of the
   * request.
   */
  async reply(known: string | undefined, headers: Readonly<Record<string, string>>): Promise<Reply> {
    const { bytes, tag } = await this.#read();
    const tagged = { ...headers, ETag: tag };
    if (known !== undefined && isAmong(tag, known)) return { status: 304, headers: tagged };
    return { status: 200, headers: tagged, bytes, contentType: this.#contentType };
  }

  /** After a failure, the next request tries to make the document again. */
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

/** A weak comparison, as RFC 9110 requires. */
const isAmong = (tag: string, known: string): boolean =>
  known.trim() === '*' || known.split(',').some((each) => each.trim().replace(/^W\//, '') === tag);
