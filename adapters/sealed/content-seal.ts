import {
  type ContentSeal,
  type DoomedKey,
  type KeySource,
  REDACTED_REFERENCE,
  ServiceError,
} from '../../ports/ports.ts';
import { openKeys, readKeyFile, replaceKeyFile, spellKeys, zeroFormerKeys } from './content-key-file.ts';
import { type ContentKeys, tenantPath } from './content-keys.ts';
import { KeyCache } from './key-cache.ts';
import { firstPeriod, LAST_PERIOD, withNextPeriod } from './period-keys.ts';
import { notOpened, placeOfValue } from './sealed-place.ts';
import { hmacText } from './sha256.ts';
import { createTextSeal } from './text-seal.ts';
import { hideBytes, maskSalt, NONCE_BYTES, openSealed, sealWithHeader, showBytes, TAG_BYTES } from './value-seal.ts';

const FORMAT = 1;
const HEADER_BYTES = 4;
const DIGEST_BYTES = 16;
/** A commitment of 32 bytes, and the 16 bytes that prove it. */
const COMMITMENT_BYTES = 48;
const CONTENT_ID = 'sha256:';

export interface ContentSealParts {
  /** The path of the file of keys. */
  readonly path: string;
  readonly source: KeySource;
  /** Puts the present text of the file in the place of its copies. Returns sentences about those that stay. */
  readonly replaceCopies?: ((text: string) => Promise<readonly string[]>) | undefined;
}

const readKeys = async ({ path, source }: ContentSealParts): Promise<ContentKeys> => {
  const text = await readKeyFile(path);
  if (text === undefined) {
    throw new ServiceError('unavailable', `there is no file with the content keys at ${path}`, {
      hint: 'put back the copy that lies beside your backups; without it nobody opens the contents of this store',
    });
  }
  return openKeys(text, source, path);
};

/** Returns the seal with these keys, which the file has too. */
export const sealWith = (first: ContentKeys, parts: ContentSealParts): ContentSeal => {
  const cache = new KeyCache(first);
  let changing: Promise<unknown> = Promise.resolve();
  /** Runs changes of the file one after another. */
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const done = changing.then(work, work);
    changing = done.catch(() => undefined);
    return done;
  };
  const change = (next: (keys: ContentKeys) => ContentKeys): Promise<void> =>
    inTurn(async () => {
      // The file may be newer than the memory, and what it has destroyed must stay so.
      const keys = await readKeys(parts);
      // An older file, put back beside the running node, would bring destroyed keys back.
      if (keys.id !== first.id || keys.version < cache.version) throw outdated(parts.path);
      const changed = next(keys);
      // A killed process may have destroyed the keys already, and left its former file.
      if (changed === keys) await zeroFormerKeys(parts.path);
      else await replaceKeyFile(parts.path, await spellKeys(changed, parts.source));
      cache.replace(changed);
    });
  const replaceCopies = async (): Promise<readonly string[]> => {
    const text = await readKeyFile(parts.path);
    return text === undefined ? [] : ((await parts.replaceCopies?.(text)) ?? []);
  };
  return {
    ...factSeal(cache),
    ...createTextSeal(cache),
    get version() {
      return cache.version;
    },
    get period() {
      return cache.keys.period;
    },
    refresh: async (version) => {
      if (version <= cache.version) return;
      await inTurn(async () => {
        const keys = await readKeys(parts);
        if (keys.id === first.id && keys.version > cache.version) cache.replace(keys);
      });
      if (version > cache.version) throw outdated(parts.path);
    },
    destroy: (doomed) =>
      change((keys) =>
        without(
          keys,
          doomed.flatMap((one) => pathsOf(one, keys)),
        ),
      ),
    firstPeriod: (table) => firstPeriod(cache.keys, table),
    endPeriods: (firsts, version) =>
      change((keys) => (keys.version > version || keys.period >= LAST_PERIOD ? keys : withNextPeriod(keys, firsts))),
    destroyTenant: (tenantId) =>
      change((keys) => {
        const path = tenantPath(keys, tenantId);
        return without(keys, keys.roots.some(({ tree }) => tree.hasAnyBelow(path)) ? [path] : []);
      }),
    replaceCopies,
  };
};

/** Destroys the keys at and below these paths. Returns the same keys where there is nothing to destroy. */
const without = (keys: ContentKeys, doomed: readonly string[]): ContentKeys => {
  for (const { tree } of keys.roots) for (const path of doomed) tree.destroy(path);
  return doomed.length === 0 ? keys : { ...keys, version: keys.version + 1 };
};

/** Returns the paths to destroy; none for a generation that is destroyed already. */
const pathsOf = (doomed: DoomedKey, keys: ContentKeys): string[] => {
  const cache = new KeyCache(keys);
  const value = cache.pathOf(doomed, 'value', doomed.generation);
  if (keys.roots.every(({ tree }) => tree.keyAt(value) === undefined)) return [];
  return doomed.isWhole ? [value, cache.presentPath(doomed, 'digest')] : [value];
};

type FactSeal = Pick<
  ContentSeal,
  | 'addedBytes'
  | 'headerBytes'
  | 'commitmentBytes'
  | 'isDestroyed'
  | 'openCommitment'
  | 'sealValue'
  | 'openValue'
  | 'sealSalt'
  | 'openSalt'
  | 'generationOf'
  | 'generationIn'
  | 'digestOf'
  | 'hideContentId'
  | 'showContentId'
>;

const factSeal = (cache: KeyCache): FactSeal => ({
  addedBytes: HEADER_BYTES + NONCE_BYTES + TAG_BYTES + COMMITMENT_BYTES,
  headerBytes: HEADER_BYTES,
  commitmentBytes: COMMITMENT_BYTES,
  sealValue: (subject, factId, { text, commitment }, above) => {
    const { key, generation } = cache.present(subject, above);
    const header = headerOf(cache.rootId, generation);
    const hiding = cache.hidingKeys(subject.tenantId, cache.rootId, 'commitments');
    if (hiding === undefined) throw notOpened('the key of a removed tenant');
    const place = placeOfValue(subject, factId);
    const kept = hideBytes(commitment, hiding, header, place);
    // Sealed together with the commitment, so that a value opens only beside its own.
    return sealWithHeader(header, text, key.cipher, place, kept);
  },
  openValue: (subject, factId, sealed) => {
    const { root, generation } = readHeader(sealed);
    const key = cache.keyOf(subject, root, generation);
    const [value, kept] = [sealed.subarray(HEADER_BYTES, -COMMITMENT_BYTES), sealed.subarray(-COMMITMENT_BYTES)];
    const opened = key && openSealed(value, key.cipher, placeOfValue(subject, factId), kept);
    if (opened === undefined) throw notOpened(`the value of fact ${factId}`);
    return opened.toString('utf8');
  },
  isDestroyed: (subject, header) => {
    const { root, generation } = readHeader(header);
    return cache.isDestroyed(subject, root, generation);
  },
  openCommitment: (subject, factId, header, sealed) => {
    const hiding = cache.hidingKeys(subject.tenantId, readHeader(header).root, 'commitments');
    const commitment = hiding && showBytes(sealed, hiding, header, placeOfValue(subject, factId));
    if (commitment === undefined) throw notOpened(`the commitment of fact ${factId}`);
    return commitment;
  },
  sealSalt: (subject, factId, salt, above) => maskSalt(cache.present(subject, above).key.seed, factId, salt),
  openSalt: (subject, factId, salt, header) => {
    const { root, generation } = readHeader(header);
    const key = cache.keyOf(subject, root, generation);
    if (key === undefined) throw notOpened('the salt of a fact');
    return maskSalt(key.seed, factId, salt);
  },
  generationOf: (subject) => cache.present(subject).generation,
  generationIn: (header) => readHeader(header).generation,
  digestOf: (subject, valueKey) => {
    const digest = hmacText(cache.digestKey(subject), valueKey);
    return `k:${Buffer.from(digest.slice(0, DIGEST_BYTES), 'latin1').toString('base64url')}`;
  },
  hideContentId: (tenantId, cid) =>
    cid === REDACTED_REFERENCE ? cid : CONTENT_ID + cache.contentIds(tenantId).hide(bytesOf(cid)).toString('hex'),
  showContentId: (tenantId, hidden) =>
    hidden === REDACTED_REFERENCE
      ? hidden
      : CONTENT_ID + cache.contentIds(tenantId).show(bytesOf(hidden)).toString('hex'),
});

const bytesOf = (cid: string): Buffer => Buffer.from(cid.slice(CONTENT_ID.length), 'hex');

/** The last header made, because most values have the same one. */
let lastHeader = Buffer.alloc(HEADER_BYTES);

const headerOf = (root: number, generation: number): Buffer => {
  const [high, low] = [root >> 8, root & 0xff];
  const isLast = lastHeader[1] === high && lastHeader[2] === low && lastHeader[3] === generation;
  if (!isLast || lastHeader[0] !== FORMAT) lastHeader = Buffer.of(FORMAT, high, low, generation);
  return lastHeader;
};

const readHeader = (sealed: Uint8Array): { readonly root: number; readonly generation: number } => {
  if (sealed.length < HEADER_BYTES || sealed[0] !== FORMAT) throw notOpened('a sealed value');
  return { root: ((sealed[1] as number) << 8) | (sealed[2] as number), generation: sealed[3] as number };
};

const outdated = (path: string): ServiceError =>
  new ServiceError('unavailable', `the content keys in ${path} are older than the store, or those of another one`, {
    hint: 'put back the newest copy of the file of this store; an older one would bring destroyed keys back',
  });
