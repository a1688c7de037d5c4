import { type KeySource, SEALED_FILE_MARK, ServiceError } from '../../ports/ports.ts';
import { createDataKeys, noKeyAtAll, readSeal, spellSeal } from './data-keys.ts';
import { keysOfObject, openStream, sealStream } from './seal-stream.ts';

/** The name of the file in errors. The seal is bound to it, so that no seal of a backup fits. */
const FILE = 'the export';
const MOST_HEADER_BYTES = 4_096;
const NEWLINE = 0x0a;

/** Seals and opens single files that leave the node. */
export interface FileSeal {
  /** Seals a file with a data key of its own. Undefined for a node without a key of the operator. */
  readonly seal: ((content: AsyncIterable<Uint8Array>) => AsyncIterable<Uint8Array>) | undefined;
  /**
   * Opens a sealed file. Rejects with `conflict` where no key opens it, and with `validation` for a changed, cut or
   * lengthened file. Each chunk has proved genuine before it is returned.
   */
  open(sealed: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array>;
}

export const createFileSeal = (source: KeySource | undefined): FileSeal => ({
  seal: source && ((content) => sealFile(content, source)),
  open: (sealed) => openFile(sealed, source),
});

/** Writes the sealed data key as the first line, and the sealed content behind it. */
async function* sealFile(content: AsyncIterable<Uint8Array>, source: KeySource): AsyncGenerator<Uint8Array> {
  const { seal, dataKey } = await createDataKeys(source).draw(FILE);
  yield Buffer.from(SEALED_FILE_MARK + spellSeal(seal));
  yield* sealStream(content, keysOfObject(dataKey, FILE));
}

async function* openFile(sealed: AsyncIterable<Uint8Array>, source: KeySource | undefined): AsyncGenerator<Uint8Array> {
  const { header, rest } = await readHeader(sealed);
  if (!header.startsWith(SEALED_FILE_MARK)) throw notSealed();
  try {
    const seal = readSeal(FILE, header.slice(SEALED_FILE_MARK.length));
    if (source === undefined) throw noKeyAtAll(FILE, seal.keyId);
    const dataKey = await createDataKeys(source).open(FILE, seal);
    yield* openStream(rest, keysOfObject(dataKey, FILE), { path: FILE, fromByte: 0 });
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code !== 'validation') throw error;
    throw new ServiceError('validation', error.message, {
      hint: 'use another copy of the file, or export again: it was cut or changed after it was written',
    });
  }
}

const readHeader = async (
  sealed: AsyncIterable<Uint8Array>,
): Promise<{ readonly header: string; readonly rest: AsyncIterable<Uint8Array> }> => {
  const parts = sealed[Symbol.asyncIterator]();
  let start = Buffer.alloc(0);
  while (!start.includes(NEWLINE) && start.length < MOST_HEADER_BYTES) {
    const { done, value } = await parts.next();
    if (done === true) break;
    start = Buffer.concat([start, value]);
  }
  const end = start.subarray(0, MOST_HEADER_BYTES).indexOf(NEWLINE);
  if (end < 0) return { header: start.subarray(0, MOST_HEADER_BYTES).toString(), rest: nothing() };
  return { header: start.subarray(0, end).toString(), rest: following(start.subarray(end + 1), parts) };
};

async function* following(start: Uint8Array, parts: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield start;
    for (let next = await parts.next(); next.done !== true; next = await parts.next()) yield next.value;
  } finally {
    await parts.return?.();
  }
}

async function* nothing(): AsyncGenerator<Uint8Array> {}

const notSealed = (): ServiceError =>
  new ServiceError('validation', 'the file is not sealed', {
    hint: `read it as it is; a sealed export begins with ${SEALED_FILE_MARK.trim()}`,
  });
