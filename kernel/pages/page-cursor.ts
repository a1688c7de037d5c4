import { createHmac, timingSafeEqual } from 'node:crypto';
import { ServiceError } from '../../ports/service-error.ts';
import { decodeBase64Url, encodeBase64Url } from '../crypto/base64url.ts';

/** The sort key and id of the last row of a page. */
export type CursorPosition = readonly (string | number | null)[];

export interface CursorContent {
  /** The position, with finite numbers only. */
  readonly position: CursorPosition;
  /** The caller, route and filters for which the cursor is valid. The text of the cursor does not contain them. */
  readonly binding: string;
  /** The instant at which the cursor expires; absent for no expiry. */
  readonly expiresMs?: number;
}

/** Encodes and decodes opaque, authenticated page cursors. */
export interface CursorCodec {
  encode(content: CursorContent): string;
  /**
   * Returns the position. Throws `invalid_cursor` (400) for any text that `encode` did not create for this binding with
   * this secret, and `cursor_expired` (400) for an expired one.
   */
  decode(text: string, expected: { readonly binding: string; readonly nowMs: number }): CursorPosition;
}

/** The maximum length of a cursor. It fits the longest entity and relation in their longest encoding. */
export const MAX_CURSOR_LENGTH = 16 * 1024;
const MIN_SECRET_BYTES = 16;
const MAC_BYTES = 16;

/** Creates a codec. `secret` is random, has at least 16 bytes, and is the same in every process on the store. */
export const createCursorCodec = (secret: Uint8Array): CursorCodec => {
  if (secret.length < MIN_SECRET_BYTES) throw new RangeError(`a cursor secret has at least ${MIN_SECRET_BYTES} bytes`);
  // Includes the length of the payload, so that no part of a binding can be taken for a part of the payload.
  const macOf = (payload: Buffer, binding: string): Buffer =>
    createHmac('sha256', secret)
      .update(`${payload.length}:`)
      .update(payload)
      .update(binding)
      .digest()
      .subarray(0, MAC_BYTES);
  return {
    encode({ position, binding, expiresMs }) {
      const payload = Buffer.from(JSON.stringify([expiresMs ?? null, ...position]));
      const text = encodeBase64Url(Buffer.concat([macOf(payload, binding), payload]));
      if (text.length > MAX_CURSOR_LENGTH) throw new RangeError('a cursor position is too long to be encoded');
      return text;
    },
    decode(text, { binding, nowMs }) {
      const bytes = text.length > MAX_CURSOR_LENGTH ? null : decodeBase64Url(text);
      if (bytes === null || bytes.length <= MAC_BYTES) throw invalidCursor();
      const payload = Buffer.from(bytes.buffer, bytes.byteOffset + MAC_BYTES, bytes.byteLength - MAC_BYTES);
      if (!timingSafeEqual(bytes.subarray(0, MAC_BYTES), macOf(payload, binding))) throw invalidCursor();
      const [expiresMs, ...position] = JSON.parse(payload.toString()) as [number | null, ...CursorPosition];
      if (expiresMs !== null && nowMs >= expiresMs) throw expiredCursor();
      return position;
    },
  };
};

const invalidCursor = (): ServiceError =>
  new ServiceError('invalid_cursor', 'pagination cursor is not valid for this request', {
    hint: 'repeat the request without cursor, and send a cursor only with the filters that it was given for',
    violations: [{ path: 'query.cursor', message: 'invalid' }],
  });

const expiredCursor = (): ServiceError =>
  new ServiceError('cursor_expired', 'pagination cursor has expired', {
    hint: 'repeat the request without cursor',
    violations: [{ path: 'query.cursor', message: 'expired' }],
  });
