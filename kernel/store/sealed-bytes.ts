import type { ContentSeal } from '../../ports/ports.ts';

/** Stands before sealed bytes, so that those from before the node was sealed can be told. */
const MARK = Buffer.from('sealed\u0000\u0001', 'latin1');

export const sealBytes = (seal: ContentSeal, name: string, bytes: Uint8Array): Uint8Array =>
  Buffer.concat([MARK, seal.sealBytes(name, bytes)]);

/** Opens bytes of `sealBytes`, and returns other ones unchanged. */
export const openBytes = (seal: ContentSeal, name: string, bytes: Uint8Array): Uint8Array =>
  isSealed(bytes) ? seal.openBytes(name, bytes.subarray(MARK.length)) : bytes;

const isSealed = (bytes: Uint8Array): boolean =>
  bytes.length >= MARK.length && MARK.equals(bytes.subarray(0, MARK.length));
