/** Characters that JSON leaves as they are, and that break a line, reorder or hide text, or begin a tag. */
const UNESCAPED = /[<\u007f-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff]|[\u{e0000}-\u{e007f}]/gu;

const escaped = (found: string): string =>
  Array.from({ length: found.length }, (_, at) => `\\u${found.charCodeAt(at).toString(16).padStart(4, '0')}`).join('');

const CUT_MARK = ' […]';

/**
 * Returns foreign text as a JSON string without characters that break the line, end the quotes, or look like a tag
 * around it. A text of more than `most` characters is cut.
 */
export const quotedText = (text: string, most = Number.POSITIVE_INFINITY): string => {
  const cut = text.length > most ? `${text.slice(0, most).toWellFormed()}${CUT_MARK}` : text;
  return JSON.stringify(cut).replace(UNESCAPED, escaped);
};

/**
 * Returns foreign text, such as an entity, for a line with several columns. Quotes everything but a single plain word,
 * so that no text looks like several columns.
 */
export const columnText = (text: string): string => (/^[^\s"'`|·;<>\\\p{C}]*$/u.test(text) ? text : quotedText(text));

/** Returns foreign text of one line, such as a value, quoted where it could look like columns or like quoted text. */
export const lineText = (line: string): string => (/^['`]|["|·;<>]/.test(line) ? quotedText(line) : line);
