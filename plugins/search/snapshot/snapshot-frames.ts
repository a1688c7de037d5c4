import { createCipheriv } from 'node:crypto';
import { type ByteSource, UnusableSnapshot } from './byte-source.ts';

/** Two numbers that say what a frame is, for readers that must know it before they have the content. */
export type FrameTag = readonly [number, number];

/**
 * A snapshot is a row of frames: length, number and tag of the frame, a digest over all of them, the content. Each
 * frame is checked before anything in it is believed. A file goes on with the number after that of its last frame.
 */
export class FrameWriter {
  #number: number;
  #bytes = 0;

  constructor(first = 0) {
    this.#number = first;
  }

  /** Number of the next frame. */
  get next(): number {
    return this.#number;
  }

  /** Bytes of all frames so far. */
  get bytes(): number {
    return this.#bytes;
  }

  /** The bytes of one frame of some pieces, which may change afterwards. */
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

/** Reads what a `FrameWriter` wrote. */
export class FrameReader {
  readonly #source: ByteSource;
  /** Of the next frame, which is read with the one before. */
  #head: Uint8Array<ArrayBuffer> | undefined;
  #number = 0;

  constructor(source: ByteSource) {
    this.#source = source;
  }

  /** Whether all was read. */
  get isAtEnd(): boolean {
    return this.#head === undefined && this.#source.left === 0;
  }

  /** Number of the next frame. */
  get next(): number {
    return this.#number;
  }

  /**
   * Content of the next frame, aligned for any typed array. `room` may say where it is to lie: in an array of just its
   * length.
   */
  async frame(room: (length: number) => Uint8Array = roomOf): Promise<Uint8Array> {
    const [content] = await this.frameInto((length) => [room(length)]);
    return content as Uint8Array;
  }

  /** The same in the pieces that `room` answers, one after the other: together they have just its length. */
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

  /** To be called when nothing more is read. Never rejects. */
  close(): Promise<void> {
    return this.#source.close();
  }

  async #readHead(): Promise<Uint8Array<ArrayBuffer>> {
    const head = new Uint8Array(HEAD_BYTES);
    await this.#source.fill([head]);
    return head;
  }
}

/** Words before the digest. */
const HEAD_WORDS = 4;
const DIGEST_AT = HEAD_WORDS * 4;
const DIGEST_BYTES = 16;
const HEAD_BYTES = DIGEST_AT + DIGEST_BYTES;
const NO_TAG: FrameTag = [0, 0];

const roomOf = (length: number): Uint8Array<ArrayBuffer> => new Uint8Array(length);

/** Nothing is secret here: it tells damage, and processors do this sum many times as fast as SHA-256. */
const SUM = 'aes-128-gcm';
const SUM_KEY = new Uint8Array(16);
const SUM_NONCE = new Uint8Array(12);

/** The authentication tag of AES-GCM over what lies in the pieces, one after the other, with nothing encrypted. */
const digestOf = (pieces: readonly Uint8Array[]): Buffer => {
  const sum = createCipheriv(SUM, SUM_KEY, SUM_NONCE, { authTagLength: DIGEST_BYTES });
  for (const piece of pieces) sum.setAAD(piece);
  sum.final();
  return sum.getAuthTag();
};
