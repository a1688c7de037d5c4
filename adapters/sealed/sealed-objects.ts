import { createHash } from 'node:crypto';
import {
  isObjectPath,
  type KeySource,
  type ObjectContent,
  type ObjectLock,
  type ObjectStore,
  type RewrappedSeal,
  ServiceError,
  type StoredObject,
} from '../../ports/ports.ts';
import { createDataKeys, type DataKeys, noKeyAtAll, readSeal, type Seal, spellSeal } from './data-keys.ts';
import {
  damagedObject,
  keysOfObject,
  type ObjectKeys,
  openedBytes,
  openStream,
  SEAL_MARK,
  sealedBytes,
  sealStream,
  startOfOpening,
  tagOfContent,
} from './seal-stream.ts';

/** The object with the sealed data key of a folder. */
const SEAL_FILE = 'seal.json';
const MOST_SEAL_BYTES = 4_096;
/** Bounds a list, which is held until all seals are seen. */
const MOST_OBJECTS = 400_000;

/**
 * An object store that seals what it writes, in another store. The objects of a folder share a random data key, which a
 * key of the operator seals in an object beside them. Objects that lie there in the clear are read as they are. Without
 * keys it writes in the clear too, and says which key a sealed object needs.
 */
export const createSealedObjects = (inner: ObjectStore, source: KeySource | undefined): ObjectStore => {
  const keys = source === undefined ? undefined : createDataKeys(source);
  const drawing = new Map<string, Promise<Uint8Array>>();
  const dataKeyOf = async (folder: string, dataKeys: DataKeys): Promise<Uint8Array> => {
    const seal = await sealIn(inner, folder);
    if (seal !== undefined) return dataKeys.open(folder, seal);
    const drawn = await dataKeys.draw(folder);
    await writeSeal(inner, folder, drawn.seal);
    // Another process may have drawn a key in the same moment: what lies there is what will open the folder.
    return dataKeys.open(folder, (await sealIn(inner, folder)) ?? drawn.seal);
  };
  /** Of several first writes in a folder, one draws its key. */
  const keysForWriting = async (path: string, dataKeys: DataKeys): Promise<ObjectKeys> => {
    const folder = folderOf(path);
    const drawn = drawing.get(folder) ?? dataKeyOf(folder, dataKeys).finally(() => drawing.delete(folder));
    drawing.set(folder, drawn);
    return keysOfObject(await drawn, path);
  };
  const sealed: ObjectStore = {
    place: inner.place,
    list: (prefix) => listOpened(inner, prefix),
    unfinished: (prefix) => inner.unfinished(prefix),
    // A folder whose seal is locked cannot go as a whole. The seal may have been written later than the objects.
    lockOf: async (path) => laterLock(await inner.lockOf(path), await inner.lockOf(sealPath(folderOf(path)))),
    async write(path, content, options = {}) {
      requirePath(path);
      if (keys === undefined) {
        // A clear object beside a seal would be opened by no key.
        const seal = await sealIn(inner, folderOf(path));
        if (seal !== undefined) throw noKeyAtAll(folderOf(path), seal.keyId);
        return inner.write(path, content, options);
      }
      const { onProgress } = options;
      await inner.write(path, sealedContent(content, await keysForWriting(path, keys)), {
        ...options,
        // The whole size counts as the last progress, although sealing adds some bytes.
        ...(onProgress && { onProgress: (bytes) => onProgress(Math.min(bytes, content.bytes)) }),
      });
    },
    async *read(path, fromByte = 0) {
      requirePath(path);
      const folder = folderOf(path);
      const seal = keys === undefined ? undefined : await sealIn(inner, folder);
      if (keys === undefined || seal === undefined) {
        yield* readClear(inner, path, fromByte);
        return;
      }
      const objectKeys = keysOfObject(await keys.open(folder, seal), path);
      const raw = inner.read(path, startOfOpening(fromByte).sealedByte);
      yield* openStream(raw, objectKeys, { path, fromByte });
    },
    async remove(path) {
      requirePath(path);
      await inner.remove(path);
      const folder = folderOf(path);
      if (await isEmpty(inner, folder)) await inner.remove(sealPath(folder));
    },
  };
  const { removeFormer } = inner;
  if (removeFormer !== undefined) sealed.removeFormer = (path) => removeFormer.call(inner, path);
  return keys === undefined ? sealed : { ...sealed, rewrap: () => rewrapAll(inner, keys) };
};

/** Objects of a folder share its data key. Those without a folder share another one. */
const folderOf = (path: string): string => (path.includes('/') ? path.slice(0, path.indexOf('/')) : '');

const sealPath = (folder: string): string => (folder === '' ? SEAL_FILE : `${folder}/${SEAL_FILE}`);

const isSeal = (path: string): boolean => path === sealPath(folderOf(path));

const requirePath = (path: string): void => {
  if (!isObjectPath(path) || isSeal(path)) throw new Error('the path of an object is made of plain names');
};

const laterLock = (one: ObjectLock | null, other: ObjectLock | null): ObjectLock | null => {
  if (one === null || other === null) return one ?? other;
  return (one.untilMs ?? Number.POSITIVE_INFINITY) >= (other.untilMs ?? Number.POSITIVE_INFINITY) ? one : other;
};

const sealedContent = (content: ObjectContent, keys: ObjectKeys): ObjectContent => {
  let digest = '';
  return {
    bytes: sealedBytes(content.bytes),
    tag: tagOfContent(content.sha256, keys),
    get sha256() {
      return digest;
    },
    async *read() {
      const [clear, sealed] = [createHash('sha256'), createHash('sha256')];
      let bytes = 0;
      const counted = async function* (): AsyncGenerator<Uint8Array> {
        for await (const part of content.read()) {
          clear.update(part);
          bytes += part.length;
          yield part;
        }
      };
      for await (const chunk of sealStream(counted(), keys)) {
        sealed.update(chunk);
        yield chunk;
      }
      const isSame = bytes === content.bytes && clear.digest('hex') === content.sha256;
      // Without a digest the store refuses what it has read.
      digest = isSame ? sealed.digest('hex') : '';
    },
  };
};

async function* listOpened(inner: ObjectStore, prefix: string): AsyncGenerator<StoredObject> {
  const found: StoredObject[] = [];
  const sealed = new Set<string>();
  for await (const object of inner.list(prefix)) {
    if (isSeal(object.path)) sealed.add(folderOf(object.path));
    else found.push(object);
    if (found.length + sealed.size > MOST_OBJECTS) throw tooMany(inner);
  }
  for (const { path, bytes } of found) {
    yield sealed.has(folderOf(path)) ? { path, bytes: openedBytes(bytes), isSealed: true } : { path, bytes };
  }
}

/** Reads an object that is not sealed. A sealed one needs a key, and its error names that. */
async function* readClear(inner: ObjectStore, path: string, fromByte: number): AsyncGenerator<Uint8Array> {
  let isFirst = fromByte === 0;
  for await (const part of inner.read(path, fromByte)) {
    if (isFirst && SEAL_MARK.equals(part.subarray(0, SEAL_MARK.length))) {
      const seal = await sealIn(inner, folderOf(path));
      throw seal === undefined ? damagedObject(path) : noKeyAtAll(folderOf(path), seal.keyId);
    }
    isFirst = false;
    yield part;
  }
}

const sealIn = async (inner: ObjectStore, folder: string): Promise<Seal | undefined> => {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  try {
    for await (const part of inner.read(sealPath(folder))) {
      parts.push(part);
      bytes += part.length;
      if (bytes > MOST_SEAL_BYTES) break;
    }
  } catch (error) {
    if ((error as { readonly code?: unknown }).code === 'lookup') return undefined;
    throw error;
  }
  return readSeal(folder, Buffer.concat(parts).toString('utf8'));
};

const writeSeal = async (inner: ObjectStore, folder: string, seal: Seal): Promise<void> => {
  const text = Buffer.from(spellSeal(seal));
  await inner.write(sealPath(folder), {
    bytes: text.length,
    sha256: createHash('sha256').update(text).digest('hex'),
    async *read() {
      yield text;
    },
  });
};

/** True for a folder of which only the seal is left. */
const isEmpty = async (inner: ObjectStore, folder: string): Promise<boolean> => {
  const below = folder === '' ? '' : `${folder}/`;
  for await (const { path } of inner.list(below)) if (folderOf(path) === folder && !isSeal(path)) return false;
  for await (const path of inner.unfinished(below)) if (folderOf(path) === folder && !isSeal(path)) return false;
  return true;
};

async function* rewrapAll(inner: ObjectStore, keys: DataKeys): AsyncGenerator<RewrappedSeal> {
  const folders = new Set<string>();
  for await (const { path } of inner.list('')) {
    if (isSeal(path)) folders.add(folderOf(path));
    if (folders.size > MOST_OBJECTS) throw tooMany(inner);
  }
  // Read before the seals, so that a damaged source is told from a damaged seal.
  const rewrap = await keys.rewrapping();
  for (const folder of [...folders].sort()) {
    let keyId: string | null = null;
    try {
      const seal = await sealIn(inner, folder);
      if (seal === undefined) continue;
      keyId = seal.keyId;
      const renewed = rewrap(folder, seal);
      const lock = renewed === undefined ? null : await inner.lockOf(sealPath(folder));
      if (renewed !== undefined) await writeSeal(inner, folder, renewed);
      yield { folder, state: renewed === undefined ? 'current' : 'done', keyId, lock };
    } catch (error) {
      // One seal that does not open, which anybody may have put there, must not keep the others from the new key.
      const { code } = error as { readonly code?: unknown };
      if (code !== 'conflict' && code !== 'validation') throw error;
      yield { folder, state: code === 'conflict' ? 'unknown' : 'damaged', keyId, lock: null };
    }
  }
}

const tooMany = ({ place }: ObjectStore): ServiceError =>
  new ServiceError('unavailable', `there are more than ${MOST_OBJECTS} objects in ${place}`, {
    hint: 'give the objects of each node a prefix of their own',
  });
