import type { Readable } from 'node:stream';
import { ServiceError } from '../../ports/service-error.ts';

/** The maximum size of standard input in bytes, above the size of any value or question. */
const MOST_BYTES = 2 * 1024 * 1024;

/** Returns an argument of the command line, or the whole standard input for the argument `-`. */
export const wordOrInput = async (word: string, stdin: Readable): Promise<string> => {
  if (word !== '-') return word;
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of stdin as AsyncIterable<Buffer | string>) {
    const chunk = typeof part === 'string' ? Buffer.from(part) : part;
    bytes += chunk.length;
    if (bytes > MOST_BYTES) throw new ServiceError('validation', 'standard input holds more than a node takes');
    parts.push(chunk);
  }
  // Removes the final line feed, which programs add to their output and which is not part of the text.
  return Buffer.concat(parts)
    .toString('utf8')
    .replace(/\r?\n$/, '');
};

/** Parses a number from 0 to 1. Throws `validation` with the name of the option. */
export const readShare = (option: string, text: string | undefined): number | undefined => {
  if (text === undefined) return undefined;
  const share = Number(text);
  if (text.trim() !== '' && share >= 0 && share <= 1) return share;
  throw new ServiceError('validation', `${option} must be a number from 0 to 1`);
};

/** The members of a query. A list repeats its member. */
export type QueryMembers = Readonly<Record<string, QueryValue | readonly QueryValue[] | undefined>>;
type QueryValue = string | number | boolean;

/** Formats the given members as the query of a URL. */
export const queryOf = (members: QueryMembers): string =>
  Object.entries(members)
    .flatMap(([name, value]) => [value ?? []].flat().map((one) => `${name}=${encodeURIComponent(one)}`))
    .join('&');
