import type { ContentSeal, SealedPlace } from '../../ports/ports.ts';
import type { KeyCache } from './key-cache.ts';
import { notOpened, placeOfText } from './sealed-place.ts';
import { derivedKey, hideBytes, openSealed, sealWithHeader, showBytes } from './value-seal.ts';

const SEALED = 'sealed:1:';
const HIDDEN = 'hidden:1:';
const ROOT_BYTES = 2;

type TextSeal = Pick<ContentSeal, 'sealText' | 'openText' | 'hideText' | 'showText' | 'sealBytes' | 'openBytes'>;

/** Seals what belongs to no single subject: texts of plugins with a key of the tenant, files with one of the node. */
export const createTextSeal = (cache: KeyCache): TextSeal => ({
  sealText: (place, text) => SEALED + seal(cache, place, Buffer.from(text)).toString('base64url'),
  openText: (place, text) => {
    if (!text.startsWith(SEALED)) return text;
    const sealed = Buffer.from(text.slice(SEALED.length), 'base64url');
    const key = cache.textKey(place.tenantId, rootIn(sealed));
    const opened = key && openSealed(sealed.subarray(ROOT_BYTES), derivedKey(key, 'sealed'), placeOfText(place));
    if (opened === undefined) throw notOpened(`${place.table}.${place.column}`);
    return opened.toString('utf8');
  },
  hideText: (column, text) => {
    const key = presentKey(cache, column.tenantId);
    const hidden = hideBytes(Buffer.from(text), derivedKey(key, 'hidden'), placeOfText({ ...column, row: '' }));
    return HIDDEN + Buffer.concat([rootId(cache), hidden]).toString('base64url');
  },
  showText: (column, hidden) => {
    if (!hidden.startsWith(HIDDEN)) return hidden;
    const bytes = Buffer.from(hidden.slice(HIDDEN.length), 'base64url');
    const key = cache.textKey(column.tenantId, rootIn(bytes));
    const place = placeOfText({ ...column, row: '' });
    const shown = key && showBytes(bytes.subarray(ROOT_BYTES), derivedKey(key, 'hidden'), place);
    if (shown === undefined) throw notOpened(`${column.table}.${column.column}`);
    return shown.toString('utf8');
  },
  sealBytes: (name, bytes) => {
    const key = cache.fileKey(name, cache.rootId);
    if (key === undefined) throw notOpened(name);
    return sealWithHeader(rootId(cache), bytes, derivedKey(key, 'sealed'), Buffer.from(name));
  },
  openBytes: (name, sealed) => {
    const key = cache.fileKey(name, rootIn(sealed));
    const opened = key && openSealed(sealed.subarray(ROOT_BYTES), derivedKey(key, 'sealed'), Buffer.from(name));
    if (opened === undefined) throw notOpened(name);
    return opened;
  },
});

const seal = (cache: KeyCache, place: SealedPlace, bytes: Uint8Array): Buffer =>
  sealWithHeader(rootId(cache), bytes, derivedKey(presentKey(cache, place.tenantId), 'sealed'), placeOfText(place));

const presentKey = (cache: KeyCache, tenantId: string): Buffer => {
  const key = cache.textKey(tenantId, cache.rootId);
  if (key === undefined) throw notOpened(`the texts of tenant ${tenantId}`);
  return key;
};

const rootId = (cache: KeyCache): Buffer => {
  const bytes = Buffer.alloc(ROOT_BYTES);
  bytes.writeUInt16BE(cache.rootId);
  return bytes;
};

const rootIn = (sealed: Uint8Array): number => (((sealed[0] ?? 0) << 8) | (sealed[1] ?? 0)) >>> 0;
