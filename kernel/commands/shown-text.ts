/** Characters that control a terminal, line breaks included. */
const STEERING = /[\p{Cc}\u2028\u2029]+/gu;
const REORDERING = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;
/** Control characters that `JSON.stringify` does not escape. */
const UNESCAPED = /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

/**
 * Makes foreign text safe for a terminal: control characters become spaces, and characters that reorder text are
 * removed.
 */
export const harmlessText = (text: string): string => text.replace(STEERING, ' ').replace(REORDERING, '');

/** Makes foreign text safe for a terminal, on one line with single spaces, and cuts it to `most` characters. */
export const shortText = (text: string, most = Number.POSITIVE_INFINITY): string => {
  const line = harmlessText(text).replace(/\s+/g, ' ').trim();
  return line.length > most ? `${line.slice(0, most - 1).replace(/[\ud800-\udbff]$/, '')}…` : line;
};

/** Returns a JSON document on one line. Control characters are escaped, which does not change the document. */
export const jsonLine = (document: unknown): string => {
  const escaped = (found: string): string => `\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return `${JSON.stringify(document).replace(UNESCAPED, escaped)}\n`;
};
