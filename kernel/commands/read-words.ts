import type { Readable } from 'node:stream';
import { ServiceError } from '../../ports/service-error.ts';

/** More than any value or question may have. */
const MOST_BYTES = 2 * 1024 * 1024;

/** Returns a word of the command line, or the whole of standard input where the word is `-`. */
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
  // Programs end their last line with a line feed, which is no part of the text.
  return Buffer.concat(parts)
    .toString('utf8')
    .replace(/\r?\n$/, '');
};

/** Reads a number from 0 to 1. Throws `validation` with the name of the option. */
export const readShare = (option: string, text: string | undefined): number | undefined => {
  if (text === undefined) return undefined;
  const share = Number(text);
  if (text.trim() !== '' && share >= 0 && share <= 1) return share;
  throw new ServiceError('validation', `${option} must be a number from 0 to 1`);
};

/** Spells the given members as the query of a URL. */
export const queryOf = (members: Readonly<Record<string, string | number | boolean | undefined>>): string =>
  Object.entries(members)
    .flatMap(([name, value]) => (value === undefined ? [] : [`${name}=${encodeURIComponent(value)}`]))
    .join('&');
