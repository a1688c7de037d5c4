import { createHash } from 'node:crypto';

/**
 * A snapshot is a row of frames: length and number of the frame, a digest over number and content, the content. Each
 * frame is checked before anything in it is believed, and a snapshot without its last frame is none.
 */
export class FrameWriter {
  #number = 0;

  /** The bytes of one frame; `content` may change afterwards. */
  frame(content: Uint8Array): Uint8Array {
    const framed = new Uint8Array(HEAD_BYTES + content.length);
    framed.set(content, HEAD_BYTES);
    const head = new Uint32Array(framed.buffer, 0, 2);
    head[0] = content.length;
    head[1] = this.#number;
    framed.set(digestOf(this.#number, framed.subarray(HEAD_BYTES)), DIGEST_AT);
    this.#number += 1;
    return framed;
  }

  json(value: unknown): Uint8Array {
    return this.frame(Buffer.from(JSON.stringify(value)));
  }
}

/** Thrown for a snapshot that cannot be used; the message says why. */
export class UnusableSnapshot extends Error {}

/** Reads what a `FrameWriter` wrote, however it is cut into chunks. */
export class FrameReader {
  readonly #chunks: AsyncIterator<Uint8Array> | Iterator<Uint8Array>;
  #rest: Uint8Array = new Uint8Array(0);
  #number = 0;

  constructor(chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>) {
    this.#chunks = Symbol.asyncIterator in chunks ? chunks[Symbol.asyncIterator]() : chunks[Symbol.iterator]();
  }

  /** Content of the next frame, aligned for any typed array. */
  async frame(): Promise<Uint8Array<ArrayBuffer>> {
    const head = await this.#take(HEAD_BYTES);
    const [length = 0, number] = new Uint32Array(head.buffer, 0, 2);
    if (number !== this.#number || length > MOST_BYTES) throw new UnusableSnapshot('it is damaged');
    const content = await this.#take(length);
    if (!digestOf(number, content).equals(head.subarray(DIGEST_AT))) throw new UnusableSnapshot('it is damaged');
    this.#number += 1;
    return content;
  }

  async json<T>(): Promise<T> {
    return JSON.parse(Buffer.from(await this.frame()).toString()) as T;
  }

  /** To be called when nothing more is read, so that a file behind the chunks is closed. Never rejects. */
  async close(): Promise<void> {
    try {
      await this.#chunks.return?.();
    } catch {
      // What cannot be closed was not open.
    }
  }

  async #take(bytes: number): Promise<Uint8Array<ArrayBuffer>> {
    const taken = new Uint8Array(bytes);
    for (let at = 0; at < bytes; ) {
      if (this.#rest.length === 0) {
        const { done, value } = await this.#chunks.next();
        if (done === true) throw new UnusableSnapshot('it ends too early');
        this.#rest = value;
      }
      const part = this.#rest.subarray(0, bytes - at);
      taken.set(part, at);
      at += part.length;
      this.#rest = this.#rest.subarray(part.length);
    }
    return taken;
  }
}

const DIGEST_AT = 8;
const DIGEST_BYTES = 16;
const HEAD_BYTES = DIGEST_AT + DIGEST_BYTES;
/** A length above this one is damage, and is not allocated. */
const MOST_BYTES = 2 ** 29;

const digestOf = (number: number, content: Uint8Array): Buffer =>
  createHash('sha256').update(String(number)).update(content).digest().subarray(0, DIGEST_BYTES);
