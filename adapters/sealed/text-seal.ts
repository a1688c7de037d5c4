import type { BytesPlace, ContentSeal, SealedPlace } from '../../ports/ports.ts';
import type { KeyCache, TextUse } from './key-cache.ts';
import { notOpened, placeOfText } from './sealed-place.ts';
import { hideBytes, openSealed, sealWithHeader, showBytes } from './value-seal.ts';

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
    const key = cache.textKey(place.tenantId, rootIn(sealed), 'sealed');
    const opened = key && openSealed(sealed.subarray(ROOT_BYTES), key, placeOfText(place));
    if (opened === undefined) throw notOpened(`${place.table}.${place.column}`);
    return opened.toString('utf8');
  },
  hideText: (column, text) => {
    const key = presentKey(cache, column.tenantId, 'hidden');
    const hidden = hideBytes(Buffer.from(text), key, placeOfText({ ...column, row: '' }));
    return HIDDEN + Buffer.concat([rootId(cache), hidden]).toString('base64url');
  },
  showText: (column, hidden) => {
    if (!hidden.startsWith(HIDDEN)) return hidden;
    const bytes = Buffer.from(hidden.slice(HIDDEN.length), 'base64url');
    const key = cache.textKey(column.tenantId, rootIn(bytes), 'hidden');
    const place = placeOfText({ ...column, row: '' });
    const shown = key && showBytes(bytes.subarray(ROOT_BYTES), key, place);
    if (shown === undefined) throw notOpened(`${column.table}.${column.column}`);
    return shown.toString('utf8');
  },
  sealBytes: (place, bytes) => {
    const key = bytesKey(cache, place, cache.rootId);
    if (key === undefined) throw notOpened(place.name);
    return sealWithHeader(rootId(cache), bytes, key, Buffer.from(place.name));
  },
  openBytes: (place, sealed) => {
    const key = bytesKey(cache, place, rootIn(sealed));
    const opened = key && openSealed(sealed.subarray(ROOT_BYTES), key, Buffer.from(place.name));
    if (opened === undefined) throw notOpened(place.name);
    return opened;
  },
});

const seal = (cache: KeyCache, place: SealedPlace, bytes: Uint8Array): Buffer =>
  sealWithHeader(rootId(cache), bytes, presentKey(cache, place.tenantId, 'sealed'), placeOfText(place));

const presentKey = (cache: KeyCache, tenantId: string, use: TextUse): Buffer => {
  const key = cache.textKey(tenantId, cache.rootId, use);
  if (key === undefined) throw notOpened(`the texts of tenant ${tenantId}`);
  return key;
};

const bytesKey = (cache: KeyCache, { tenantId, name }: BytesPlace, rootOfKey: number): Buffer | undefined =>
  tenantId === null ? cache.fileKey(name, rootOfKey) : cache.textKey(tenantId, rootOfKey, 'bytes');

const rootId = (cache: KeyCache): Buffer => {
  const bytes = Buffer.alloc(ROOT_BYTES);
  bytes.writeUInt16BE(cache.rootId);
  return bytes;
};

const rootIn = (sealed: Uint8Array): number => (((sealed[0] ?? 0) << 8) | (sealed[1] ?? 0)) >>> 0;
