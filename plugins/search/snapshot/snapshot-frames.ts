import { createCipheriv } from 'node:crypto';
import { type ByteSource, UnusableSnapshot } from './byte-source.ts';

/** Two numbers that identify a frame, for readers that need this before its content. */
export type FrameTag = readonly [number, number];

/**
 * A snapshot is a sequence of frames: length, number and tag of the frame, a digest over all of these and the content,
 * then the content. Readers check each frame before they use it. Appended frames continue the numbers of the file.
 */
export class FrameWriter {
  #number: number;
  #bytes = 0;

  constructor(first = 0) {
    this.#number = first;
  }

  /** The number of the next frame. */
  get next(): number {
    return this.#number;
  }

  /** The number of bytes of all frames so far. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Returns the bytes of one frame with this content, which may change afterwards. */
  frame(content: Uint8Array | readonly Uint8Array[], [kind, place]: FrameTag = NO_TAG): Uint8Array {
    const pieces = content instanceof Uint8Array ? [content] : content;
    const length = pieces.reduce((sum, piece) => sum + piece.length, 0);
    const framed = new Uint8Array(HEAD_BYTES + length);
    let at = HEAD_BYTES;
    for (const piece of pieces) {
      framed.set(piece, at);
      at += piece.length;
    }
    new Uint32Array(framed.buffer, 0, HEAD_WORDS).set([length, this.#number, kind, place]);
    framed.set(digestOf([framed.subarray(0, DIGEST_AT), framed.subarray(HEAD_BYTES)]), DIGEST_AT);
    this.#number += 1;
    this.#bytes += framed.length;
    return framed;
  }

  json(value: unknown): Uint8Array {
    return this.frame(Buffer.from(JSON.stringify(value)));
  }
}

/** Reads the output of a `FrameWriter`. */
export class FrameReader {
  readonly #source: ByteSource;
  /** The head of the next frame, which is read together with the previous frame. */
  #head: Uint8Array<ArrayBuffer> | undefined;
  #number = 0;

  constructor(source: ByteSource) {
    this.#source = source;
  }

  /** True if all frames were read. */
  get isAtEnd(): boolean {
    return this.#head === undefined && this.#source.left === 0;
  }

  /** The number of the next frame. */
  get next(): number {
    return this.#number;
  }

  /**
   * Reads the content of the next frame, aligned for any typed array. `room` may return the target array, of exactly
   * that length.
   */
  async frame(room: (length: number) => Uint8Array = roomOf): Promise<Uint8Array> {
    const [content] = await this.frameInto((length) => [room(length)]);
    return content as Uint8Array;
  }

  /**
   * Reads the content of the next frame into the arrays that `room` returns, one after the other; together they have
   * exactly its length.
   */
  async frameInto(room: (length: number, tag: FrameTag) => readonly Uint8Array[]): Promise<readonly Uint8Array[]> {
    const head = this.#head ?? (await this.#readHead());
    const [length = 0, number, kind = 0, place = 0] = new Uint32Array(head.buffer, 0, HEAD_WORDS);
    const { left } = this.#source;
    if (number !== this.#number || length > left) throw new UnusableSnapshot('it is damaged');
    const pieces = room(length, [kind, place]);
    if (pieces.reduce((sum, piece) => sum + piece.length, 0) !== length) throw new UnusableSnapshot('it is damaged');
    this.#head = left - length >= HEAD_BYTES ? new Uint8Array(HEAD_BYTES) : undefined;
    await this.#source.fill(this.#head === undefined ? pieces : [...pieces, this.#head]);
    const digest = digestOf([head.subarray(0, DIGEST_AT), ...pieces]);
    if (!digest.equals(head.subarray(DIGEST_AT))) throw new UnusableSnapshot('it is damaged');
    this.#number += 1;
    return pieces;
  }

  async json<T>(): Promise<T> {
    return JSON.parse(Buffer.from(await this.frame()).toString()) as T;
  }

  /** Call it after the last read. Never rejects. */
  close(): Promise<void> {
    return this.#source.close();
  }

  async #readHead(): Promise<Uint8Array<ArrayBuffer>> {
    const head = new Uint8Array(HEAD_BYTES);
    await this.#source.fill([head]);
    return head;
  }
}

/** The number of words before the digest. */
const HEAD_WORDS = 4;
const DIGEST_AT = HEAD_WORDS * 4;
const DIGEST_BYTES = 16;
const HEAD_BYTES = DIGEST_AT + DIGEST_BYTES;
const NO_TAG: FrameTag = [0, 0];

const roomOf = (length: number): Uint8Array<ArrayBuffer> => new Uint8Array(length);

/**
 * The cipher whose tag serves as a checksum against damage. Nothing is secret here, and processors compute it many
 * times as fast as SHA-256.
 */
const SUM = 'aes-128-gcm';
const SUM_KEY = new Uint8Array(16);
const SUM_NONCE = new Uint8Array(12);

/** Computes the authentication tag of AES-GCM over the pieces, one after the other, without encrypting them. */
const digestOf = (pieces: readonly Uint8Array[]): Buffer => {
  const sum = createCipheriv(SUM, SUM_KEY, SUM_NONCE, { authTagLength: DIGEST_BYTES });
  for (const piece of pieces) sum.setAAD(piece);
  sum.final();
  return sum.getAuthTag();
};
