import { createCipheriv, createDecipheriv, createHmac, hkdfSync } from 'node:crypto';
import { ServiceError } from '../../ports/ports.ts';

const CIPHER = 'aes-256-gcm';
const CHUNK_BYTES = 64 * 1024;
const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const ADDED_BYTES = NONCE_BYTES + TAG_BYTES;
/** The first bytes of a sealed object, so that a reader without a key tells it from damage. */
export const SEAL_MARK = Buffer.from('factseal');

/** The keys of one object. */
export interface ObjectKeys {
  readonly cipher: Buffer;
  readonly nonce: Buffer;
}

/** Derives the keys of an object from the data key of its folder. So no object opens in the place of another one. */
export const keysOfObject = (dataKey: Uint8Array, path: string): ObjectKeys => {
  const both = Buffer.from(hkdfSync('sha256', dataKey, '', `fact-memory object 1\0${path}`, 2 * KEY_BYTES));
  return { cipher: both.subarray(0, KEY_BYTES), nonce: both.subarray(KEY_BYTES) };
};

/** Returns a text that only sealed content with this digest has. It does not let others recognise the content. */
export const tagOfContent = (digest: string, keys: ObjectKeys): string =>
  createHmac('sha256', keys.nonce).update(`content ${digest}`).digest('hex');

/** Returns the size of the sealed form of content with this size. */
export const sealedBytes = (bytes: number): number =>
  SEAL_MARK.length + bytes + ADDED_BYTES * Math.max(1, Math.ceil(bytes / CHUNK_BYTES));

/** Returns the size of the content of a sealed object; -1 for a size that no sealed object has. */
export const openedBytes = (sealed: number): number => {
  const body = sealed - SEAL_MARK.length;
  const bytes = body - ADDED_BYTES * Math.ceil(body / (CHUNK_BYTES + ADDED_BYTES));
  return bytes >= 0 && sealedBytes(bytes) === sealed ? bytes : -1;
};

/**
 * Seals content in chunks with AES-256-GCM. The number of a chunk, and whether it is the last one, are authenticated
 * with it, so that chunks cannot be left out, moved or added. The nonce of a chunk is a MAC of its content and place.
 * So the same content gives the same bytes, which lets an interrupted write go on, and content that has changed
 * meanwhile never meets a nonce again.
 */
export async function* sealStream(content: AsyncIterable<Uint8Array>, keys: ObjectKeys): AsyncGenerator<Uint8Array> {
  yield SEAL_MARK;
  let index = 0;
  for await (const { bytes, isLast } of inChunks(content, CHUNK_BYTES)) {
    const place = placeOf(index, isLast);
    const nonce = createHmac('sha256', keys.nonce).update(place).update(bytes).digest().subarray(0, NONCE_BYTES);
    const cipher = createCipheriv(CIPHER, keys.cipher, nonce).setAAD(place);
    yield Buffer.concat([nonce, cipher.update(bytes), cipher.final(), cipher.getAuthTag()]);
    index += 1;
  }
}

/** Where to begin reading a sealed object to open it from a byte of its content on. */
export const startOfOpening = (fromByte: number): { readonly index: number; readonly sealedByte: number } => {
  const index = Math.floor(fromByte / CHUNK_BYTES);
  return { index, sealedByte: index === 0 ? 0 : SEAL_MARK.length + index * (CHUNK_BYTES + ADDED_BYTES) };
};

/**
 * Opens a sealed object from a byte of its content on. `sealed` begins where `startOfOpening` says. Returns no byte
 * before its chunk has proved genuine. Throws `validation` for a changed, cut or lengthened object.
 */
export async function* openStream(
  sealed: AsyncIterable<Uint8Array>,
  keys: ObjectKeys,
  { path, fromByte }: { readonly path: string; readonly fromByte: number },
): AsyncGenerator<Uint8Array> {
  let { index } = startOfOpening(fromByte);
  let skipped = fromByte - index * CHUNK_BYTES;
  const body = index === 0 ? withoutMark(sealed, path) : sealed;
  for await (const { bytes, isLast } of inChunks(body, CHUNK_BYTES + ADDED_BYTES)) {
    const opened = openChunk(bytes, keys.cipher, placeOf(index, isLast));
    if (opened === undefined) throw damagedObject(path);
    if (opened.length > skipped) yield opened.subarray(skipped);
    skipped = 0;
    index += 1;
  }
}

/** Seals a short secret, such as a key, together with its place. */
export const sealSecret = (secret: Uint8Array, key: Uint8Array, place: string, nonce: Uint8Array): Buffer => {
  const cipher = createCipheriv(CIPHER, key, nonce).setAAD(Buffer.from(place));
  return Buffer.concat([nonce, cipher.update(secret), cipher.final(), cipher.getAuthTag()]);
};

/** Opens a short secret; undefined when it was sealed with another key, for another place, or has changed. */
export const openSecret = (sealed: Uint8Array, key: Uint8Array, place: string): Buffer | undefined =>
  openChunk(sealed, key, Buffer.from(place));

export const damagedObject = (path: string): ServiceError =>
  new ServiceError('validation', `${path} is damaged: its seal does not fit its content`, {
    hint:
      'try again, because a network can damage it on the way; otherwise it was changed where it lies; ' +
      'restore an older backup, and make a new one',
  });

const openChunk = (sealed: Uint8Array, key: Uint8Array, place: Buffer): Buffer | undefined => {
  if (sealed.length < ADDED_BYTES) return undefined;
  const decipher = createDecipheriv(CIPHER, key, sealed.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES });
  decipher.setAAD(place).setAuthTag(sealed.subarray(-TAG_BYTES));
  const opened = decipher.update(sealed.subarray(NONCE_BYTES, -TAG_BYTES));
  try {
    decipher.final();
  } catch {
    return undefined;
  }
  return opened;
};

const placeOf = (index: number, isLast: boolean): Buffer => {
  const place = Buffer.alloc(9);
  place.writeBigUInt64BE(BigInt(index));
  place.writeUInt8(isLast ? 1 : 0, 8);
  return place;
};

async function* withoutMark(sealed: AsyncIterable<Uint8Array>, path: string): AsyncGenerator<Uint8Array> {
  let mark: Uint8Array | undefined = new Uint8Array();
  for await (const part of sealed) {
    if (mark === undefined) {
      yield part;
      continue;
    }
    const begun: Buffer = Buffer.concat([mark, part]);
    mark = begun;
    if (begun.length < SEAL_MARK.length) continue;
    if (!begun.subarray(0, SEAL_MARK.length).equals(SEAL_MARK)) throw damagedObject(path);
    mark = undefined;
    yield begun.subarray(SEAL_MARK.length);
  }
  if (mark !== undefined) throw damagedObject(path);
}

/** Cuts bytes into chunks of one size, of which the last may be shorter. Nothing at all is one empty chunk. */
async function* inChunks(
  source: AsyncIterable<Uint8Array>,
  size: number,
): AsyncGenerator<{ readonly bytes: Buffer; readonly isLast: boolean }> {
  let gathered: Uint8Array[] = [];
  let held = 0;
  for await (const part of source) {
    for (let from = 0; from < part.length; ) {
      // A full chunk waits for the next byte, which shows that it is not the last one.
      if (held === size) {
        yield { bytes: Buffer.concat(gathered), isLast: false };
        gathered = [];
        held = 0;
      }
      const piece = part.subarray(from, from + size - held);
      gathered.push(piece);
      held += piece.length;
      from += piece.length;
    }
  }
  yield { bytes: Buffer.concat(gathered), isLast: true };
}
