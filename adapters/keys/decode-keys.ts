import { OPERATOR_KEY_BYTES, ServiceError } from '../../ports/ports.ts';

/** The most bytes that a file or a command may give: room for some dozens of keys. */
export const MOST_KEY_BYTES = 4_096;

const HEX = /^[0-9a-fA-F]{64}$/;
const BASE64 = /^[A-Za-z0-9+/_-]{43}=?$/;
const TEXT = /^[\x20-\x7e\s]*$/;
/** A random key of 32 bytes has fewer different ones once in 10^23. */
const LEAST_DIFFERENT = 8;

/**
 * Decodes the keys of a file or of a command: one key of 32 bytes as it is, or one key a line in hexadecimal or base64,
 * the present one first. Throws `validation` with the place, and never repeats what it read.
 */
export const decodeKeys = (given: Buffer, place: string): readonly Uint8Array[] => {
  const text = given.toString('latin1');
  // A text of 32 characters is no key, but for example half of one in hexadecimal.
  const keys =
    given.length === OPERATOR_KEY_BYTES && !TEXT.test(text)
      ? [new Uint8Array(given)]
      : text
          .split(/\r?\n/)
          .map((line) => line.trim())
          .filter((line) => line !== '')
          .map((line) => decodeKey(line, place));
  if (keys.length === 0) throw noKey(place);
  for (const key of keys) if (new Set(key).size < LEAST_DIFFERENT) throw noKey(place);
  return keys;
};

const decodeKey = (line: string, place: string): Uint8Array => {
  if (HEX.test(line)) return new Uint8Array(Buffer.from(line, 'hex'));
  const key = BASE64.test(line) ? new Uint8Array(Buffer.from(line, 'base64')) : undefined;
  if (key?.length === OPERATOR_KEY_BYTES) return key;
  throw noKey(place);
};

const noKey = (place: string): ServiceError =>
  new ServiceError('validation', `${place} gives no key of the operator`, {
    hint: 'it takes 32 random bytes, or one key a line in hexadecimal or base64, the present key first: openssl rand -hex 32',
  });
