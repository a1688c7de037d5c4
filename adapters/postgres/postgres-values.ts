import { types } from 'pg';
import type { SqlValue } from '../../ports/ports.ts';
import type { SqlParameter } from '../sql/sql-engine.ts';

/** Converts values for the server and back. Everything travels as text, except single byte strings. */

/** A value in the form of the driver. */
export type Encoded = string | Buffer | null;

export const encodeParameter = (value: SqlParameter): Encoded => {
  if (value === null || typeof value === 'string') return value;
  if (typeof value === 'number') return encodeNumber(value);
  if (typeof value === 'boolean') return value ? '1' : '0';
  return value instanceof Uint8Array ? bytesOf(value) : encodeArray(value);
};

/** Returns an array literal: https://www.postgresql.org/docs/current/arrays.html#ARRAYS-IO */
export const encodeArray = (values: readonly SqlValue[]): string => {
  let text = '{';
  for (let at = 0; at < values.length; at += 1) {
    if (at > 0) text += ',';
    text += encodeElement(values[at] as SqlValue);
  }
  return `${text}}`;
};

const encodeElement = (value: SqlValue): string => {
  if (value === null) return 'NULL';
  if (typeof value === 'string') return `"${SPECIAL.test(value) ? value.replace(EVERY_SPECIAL, '\\$&') : value}"`;
  if (typeof value === 'number') return encodeNumber(value);
  if (typeof value === 'boolean') return value ? '1' : '0';
  return `"\\\\x${bytesOf(value).toString('hex')}"`;
};

const SPECIAL = /["\\]/;
const EVERY_SPECIAL = /["\\]/g;

/** Preserves the sign of a negative zero, which `String` drops. */
const encodeNumber = (value: number): string => (Object.is(value, -0) ? '-0' : String(value));

const bytesOf = (value: Uint8Array): Buffer => Buffer.from(value.buffer, value.byteOffset, value.byteLength);

const { BOOL, BYTEA, INT8, INT4, INT2, OID, FLOAT4, FLOAT8, NUMERIC } = types.builtins;

const wholeNumber = (text: string): number => {
  const value = Number(text);
  if (!Number.isSafeInteger(value))
    throw new Error('the database holds a whole number that a double cannot hold exactly');
  return value;
};

const text = (value: string): string => value;

const PARSERS: ReadonlyMap<number, (text: string) => SqlValue> = new Map<number, (text: string) => SqlValue>([
  [INT8, wholeNumber],
  [INT4, Number],
  [INT2, Number],
  [OID, Number],
  [FLOAT4, Number],
  [FLOAT8, Number],
  [NUMERIC, Number],
  [BOOL, (value) => Number(value === 't')],
  [BYTEA, (value) => new Uint8Array(Buffer.from(value.slice(2), 'hex'))],
]);

/** Parsers for column types. Scalars are returned as on both engines, everything else as text. */
export const VALUE_TYPES = {
  getTypeParser: (oid: number): ((text: string) => SqlValue) => PARSERS.get(oid) ?? text,
};
