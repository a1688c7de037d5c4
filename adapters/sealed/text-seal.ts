import {
  type BytesPlace,
  type ContentSeal,
  SEALED_TEXT,
  type SealedPlace,
  ServiceError,
  type TextOwner,
} from '../../ports/ports.ts';
import { LABEL_BYTES } from './content-keys.ts';
import { type KeyCache, type TextUse, textKeyOf } from './key-cache.ts';
import { LAST_PERIOD } from './period-keys.ts';
import { notOpened, placeOfText } from './sealed-place.ts';
import { hideBytes, openSealed, sealWithHeader, showBytes } from './value-seal.ts';

const HIDDEN = 'hidden:1:';
const ROOT_BYTES = 2;
/** The place of the byte that says whose key has sealed a text, and the values of it. */
const KIND = ROOT_BYTES;
const OF_TENANT = 0;
const OF_SUBJECT = 1;
const OF_PERIOD = 2;
const TENANT_HEADER_BYTES = KIND + 1;
const GENERATION = TENANT_HEADER_BYTES + LABEL_BYTES;
const SUBJECT_HEADER_BYTES = GENERATION + 1;
const PERIOD_BYTES = 4;
const PERIOD_HEADER_BYTES = TENANT_HEADER_BYTES + PERIOD_BYTES;

type TextSeal = Pick<ContentSeal, 'sealText' | 'openText' | 'hideText' | 'showText' | 'sealBytes' | 'openBytes'>;

/**
 * Seals texts of plugins with the key of the facts that they are about, or of a period, or else with one of their
 * tenant. Files have a key of the node. The header of a text names its key: a subject by the digest that is its place
 * in the tree, and a period by its number.
 */
export const createTextSeal = (cache: KeyCache): TextSeal => ({
  sealText: (place, text) => {
    const { header, key } =
      place.owner === undefined && place.period !== undefined
        ? periodKey(cache, place, place.period)
        : sealingKey(cache, place.tenantId, place.owner, 'sealed');
    return SEALED_TEXT + sealWithHeader(header, text, key, placeOfText(place)).toString('base64url');
  },
  openText: (place, text) => {
    if (!text.startsWith(SEALED_TEXT)) return text;
    const sealed = Buffer.from(text.slice(SEALED_TEXT.length), 'base64url');
    const opened =
      sealed[KIND] === OF_PERIOD
        ? openOfPeriod(cache, sealed, place)
        : open(cache, sealed, place.tenantId, 'sealed', placeOfText(place));
    if (opened === undefined) throw notOpened(`${place.table}.${place.column}`);
    return opened.toString('utf8');
  },
  hideText: (column, text) => {
    const keys = cache.hidingKeys(column.tenantId, cache.rootId, 'hidden');
    if (keys === undefined) throw notOpened(`the texts of tenant ${column.tenantId}`);
    const hidden = hideBytes(Buffer.from(text), keys, placeOfText({ ...column, row: '' }));
    return HIDDEN + Buffer.concat([rootId(cache), hidden]).toString('base64url');
  },
  showText: (column, hidden) => {
    if (!hidden.startsWith(HIDDEN)) return hidden;
    const bytes = Buffer.from(hidden.slice(HIDDEN.length), 'base64url');
    const keys = cache.hidingKeys(column.tenantId, rootIn(bytes), 'hidden');
    const place = placeOfText({ ...column, row: '' });
    const shown = keys && showBytes(bytes.subarray(ROOT_BYTES), keys, place);
    if (shown === undefined) throw notOpened(`${column.table}.${column.column}`);
    return shown.toString('utf8');
  },
  sealBytes: (place, bytes) => {
    const { header, key } =
      place.tenantId === null ? fileKey(cache, place) : sealingKey(cache, place.tenantId, place.owner, 'bytes');
    return sealWithHeader(header, bytes, key, place.name);
  },
  openBytes: (place, sealed) => {
    const { tenantId, name } = place;
    const opened =
      tenantId === null
        ? openWith(cache.fileKey(name, rootIn(sealed)), sealed, TENANT_HEADER_BYTES, name)
        : open(cache, sealed, tenantId, 'bytes', name);
    if (opened === undefined) throw notOpened(name);
    return opened;
  },
});

interface SealingKey {
  readonly header: Buffer;
  readonly key: Buffer;
}

const sealingKey = (cache: KeyCache, tenantId: string, owner: TextOwner | undefined, use: TextUse): SealingKey => {
  if (owner === undefined) return { header: tenantHeader(cache), key: presentKey(cache, tenantId, use) };
  const { generation, key, label } = cache.labelledPresent({ tenantId, ...owner });
  const header = Buffer.allocUnsafe(SUBJECT_HEADER_BYTES);
  header.writeUInt16BE(cache.rootId);
  header[KIND] = OF_SUBJECT;
  header.set(label, TENANT_HEADER_BYTES);
  header[GENERATION] = generation;
  return { header, key: textKeyOf(key, use) };
};

const periodKey = (cache: KeyCache, { tenantId, table }: SealedPlace, period: number): SealingKey => {
  const key = cache.periodKey(table, period, tenantId, cache.rootId);
  if (key === undefined) throw new ServiceError('unavailable', `the key of this period for ${table} was destroyed`);
  const header = Buffer.alloc(PERIOD_HEADER_BYTES);
  header.writeUInt16BE(cache.rootId);
  header.writeUInt8(OF_PERIOD, KIND);
  header.writeUInt32BE(period, TENANT_HEADER_BYTES);
  return { header, key };
};

const openOfPeriod = (cache: KeyCache, sealed: Buffer, place: SealedPlace): Buffer | undefined => {
  if (sealed.length < PERIOD_HEADER_BYTES) return undefined;
  const period = sealed.readUInt32BE(TENANT_HEADER_BYTES);
  if (period > LAST_PERIOD) return undefined;
  const key = cache.periodKey(place.table, period, place.tenantId, rootIn(sealed));
  return openWith(key, sealed, PERIOD_HEADER_BYTES, placeOfText(place));
};

const open = (
  cache: KeyCache,
  sealed: Uint8Array,
  tenantId: string,
  use: TextUse,
  place: string,
): Buffer | undefined => {
  const root = rootIn(sealed);
  if (sealed[KIND] === OF_TENANT)
    return openWith(cache.textKey(tenantId, root, use), sealed, TENANT_HEADER_BYTES, place);
  if (sealed[KIND] !== OF_SUBJECT || sealed.length < SUBJECT_HEADER_BYTES) return undefined;
  const label = sealed.subarray(TENANT_HEADER_BYTES, GENERATION);
  const key = cache.labelledKey(tenantId, label, root, sealed[GENERATION] as number);
  return openWith(key && textKeyOf(key, use), sealed, SUBJECT_HEADER_BYTES, place);
};

const openWith = (
  key: Buffer | undefined,
  sealed: Uint8Array,
  headerBytes: number,
  place: string,
): Buffer | undefined => key && openSealed(sealed.subarray(headerBytes), key, place);

const presentKey = (cache: KeyCache, tenantId: string, use: TextUse): Buffer => {
  const key = cache.textKey(tenantId, cache.rootId, use);
  if (key === undefined) throw notOpened(`the texts of tenant ${tenantId}`);
  return key;
};

const fileKey = (cache: KeyCache, { name }: BytesPlace): SealingKey => {
  const key = cache.fileKey(name, cache.rootId);
  if (key === undefined) throw notOpened(name);
  return { header: tenantHeader(cache), key };
};

const tenantHeader = (cache: KeyCache): Buffer => Buffer.concat([rootId(cache), Buffer.of(OF_TENANT)]);

const rootId = (cache: KeyCache): Buffer => {
  const bytes = Buffer.alloc(ROOT_BYTES);
  bytes.writeUInt16BE(cache.rootId);
  return bytes;
};

const rootIn = (sealed: Uint8Array): number => (((sealed[0] ?? 0) << 8) | (sealed[1] ?? 0)) >>> 0;
