import type { BytesPlace, ContentSeal } from '../../ports/ports.ts';

/** Stands before sealed bytes, so that those from before the node was sealed can be told. */
const MARK = Buffer.from('sealed\u0000\u0001', 'latin1');

export const sealBytes = (seal: ContentSeal, place: BytesPlace, bytes: Uint8Array): Uint8Array =>
  Buffer.concat([MARK, seal.sealBytes(place, bytes)]);

/** Opens bytes of `sealBytes`, and returns other ones unchanged. */
export const openBytes = (seal: ContentSeal, place: BytesPlace, bytes: Uint8Array): Uint8Array =>
  isSealed(bytes) ? seal.openBytes(place, bytes.subarray(MARK.length)) : bytes;

const isSealed = (bytes: Uint8Array): boolean =>
  bytes.length >= MARK.length && MARK.equals(bytes.subarray(0, MARK.length));
