import { createHash } from 'node:crypto';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { ServiceError } from '../../ports/ports.ts';
import { DIGEST_BYTES, INCREMENT_FORMAT, type IncrementHeader, STEP_BYTES } from './increment-file.ts';

/** Takes the pages of an increment, in their order. Returns false to take no more. */
export interface PageTaker {
  begin(header: IncrementHeader): void;
  /** Called before the pages of a step, which lead to the state of the store at `atMs`. */
  step(atMs: number, databasePages: number): boolean;
  page(number: number, content: Buffer): Promise<void>;
}

const MOST_HEADER_BYTES = 4_096;
const LINE_FEED = 10;
const PAGE_SIZES: ReadonlySet<number> = new Set([512, 1_024, 2_048, 4_096, 8_192, 16_384, 32_768, 65_536]);

/**
 * Reads a whole increment, also the steps after the taker has stopped. Returns the digest of the file.
 * Throws `validation` for a file that is not as it was written.
 */
export const readIncrement = async (
  name: string,
  source: AsyncIterable<Uint8Array>,
  taker: PageTaker,
): Promise<string> => {
  const file = createHash('sha256');
  const counted = async function* (): AsyncGenerator<Uint8Array> {
    for await (const chunk of source) {
      file.update(chunk);
      yield chunk;
    }
  };
  try {
    await pipeline(counted, createGunzip(), (opened: AsyncIterable<Buffer>) => take(name, opened, taker));
  } catch (error) {
    const { code } = error as { readonly code?: unknown };
    if (typeof code === 'string' && code.startsWith('Z_')) throw damagedIncrement(name);
    throw error;
  }
  return file.digest('hex');
};

const take = async (name: string, opened: AsyncIterable<Buffer>, taker: PageTaker): Promise<void> => {
  const bytes = new ByteQueue(name, opened);
  const header = readHeader(name, await bytes.line());
  taker.begin(header);
  let isWanted = true;
  for (;;) {
    const step = await bytes.take(STEP_BYTES);
    const [atMs, databasePages, count] = [Number(step.readBigUInt64BE()), step.readUInt32BE(8), step.readUInt32BE(12)];
    if (atMs === 0) break;
    isWanted = isWanted && taker.step(atMs, databasePages);
    for (let left = count; left > 0; left -= 1) {
      const number = (await bytes.take(4)).readUInt32BE();
      const page = await bytes.take(header.page_bytes);
      if (number < 1 || number > databasePages) throw damagedIncrement(name);
      if (isWanted) await taker.page(number, page);
    }
  }
  const digest = bytes.digest();
  if (!(await bytes.take(DIGEST_BYTES)).equals(digest) || !(await bytes.isAtEnd())) throw damagedIncrement(name);
};

const readHeader = (name: string, line: string): IncrementHeader => {
  const header = parsed(line);
  if (typeof header.format === 'string' && header.format !== INCREMENT_FORMAT) throw newer(name);
  const { chain, number, previous, page_bytes: pageBytes } = header;
  const isLinked = previous === null || /^[0-9a-f]{64}$/.test(String(previous));
  if (typeof chain !== 'string' || !Number.isSafeInteger(number) || !isLinked) throw damagedIncrement(name);
  if (header.format !== INCREMENT_FORMAT || !PAGE_SIZES.has(Number(pageBytes))) throw damagedIncrement(name);
  return header as IncrementHeader;
};

const parsed = (line: string): Partial<IncrementHeader> => {
  try {
    const header: unknown = JSON.parse(line);
    return header !== null && typeof header === 'object' ? header : {};
  } catch {
    return {};
  }
};

/** Takes bytes from a stream in pieces of given sizes. */
class ByteQueue {
  readonly #name: string;
  readonly #source: AsyncIterator<Buffer>;
  readonly #hash = createHash('sha256');
  #held: Buffer = Buffer.alloc(0);

  constructor(name: string, source: AsyncIterable<Buffer>) {
    this.#name = name;
    this.#source = source[Symbol.asyncIterator]();
  }

  async take(count: number): Promise<Buffer> {
    while (this.#held.length < count) {
      const next = await this.#source.next();
      if (next.done === true) throw damagedIncrement(this.#name);
      this.#held = this.#held.length === 0 ? next.value : Buffer.concat([this.#held, next.value]);
    }
    const taken = this.#held.subarray(0, count);
    this.#held = this.#held.subarray(count);
    this.#hash.update(taken);
    return taken;
  }

  async line(): Promise<string> {
    const bytes: number[] = [];
    for (;;) {
      const [byte = 0] = await this.take(1);
      if (byte === LINE_FEED) return Buffer.from(bytes).toString('utf8');
      bytes.push(byte);
      if (bytes.length > MOST_HEADER_BYTES) throw damagedIncrement(this.#name);
    }
  }

  /** The digest of everything taken so far. */
  digest(): Buffer {
    return this.#hash.copy().digest();
  }

  async isAtEnd(): Promise<boolean> {
    return this.#held.length === 0 && (await this.#source.next()).done === true;
  }
}

export const damagedIncrement = (name: string): ServiceError =>
  new ServiceError('validation', `the increment ${name} is damaged, or was changed where it lies`, {
    hint: 'restore a point in time before it, or a backup, and look for errors of the place that it lies in',
  });

const newer = (name: string): ServiceError =>
  new ServiceError('validation', `the increment ${name} has a form that this program does not know`, {
    hint: 'use the version that wrote it or a newer one',
  });
