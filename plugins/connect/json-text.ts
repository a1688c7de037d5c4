import type { Node } from 'jsonc-parser';

/**
 * These functions edit JSON text without changing the white space and comments of neighbouring members. The library
 * would reformat the lines around a change.
 */

/** A container with its position, and the formatting of the text around it. */
interface Spelling {
  readonly eol: string;
  /** One step of indentation. */
  readonly step: string;
}

/** Adds a child at the end of an object or a list; `name` is undefined for a list item. */
export const insertChild = (
  text: string,
  container: Node,
  name: string | undefined,
  value: unknown,
  eol: string,
): string => {
  const spelling = { eol, step: stepOf(text) };
  const before = name === undefined ? '' : `${JSON.stringify(name)}: `;
  const last = container.children?.at(-1);
  const close = container.offset + container.length - 1;
  if (last === undefined)
    return insertFirst(text, container, close, (indent) => before + spelled(value, indent, spelling), spelling);
  const end = last.offset + last.length;
  const isOneLine = !text.slice(container.offset, end).includes('\n');
  if (isOneLine) return `${text.slice(0, end)}, ${before}${JSON.stringify(value)}${text.slice(end)}`;
  const indent = indentAt(text, last.offset) ?? `${lineIndent(text, container.offset)}${spelling.step}`;
  const child = `${eol}${indent}${before}${spelled(value, indent, spelling)}`;
  const { comma, lineEnd } = readTail(text, end, close);
  if (comma !== undefined) return `${text.slice(0, lineEnd)}${child},${text.slice(lineEnd)}`;
  return `${text.slice(0, end)},${text.slice(end, lineEnd)}${child}${text.slice(lineEnd)}`;
};

const insertFirst = (
  text: string,
  container: Node,
  close: number,
  childOf: (indent: string) => string,
  { eol, step }: Spelling,
): string => {
  const own = lineIndent(text, container.offset);
  const indent = `${own}${step}`;
  const inside = text.slice(container.offset + 1, close).trimEnd();
  const head = `${text.slice(0, container.offset + 1)}${inside}`;
  return `${head}${eol}${indent}${childOf(indent)}${eol}${own}${text.slice(close)}`;
};

/** Removes a child of an object or a list. */
export const removeChild = (text: string, container: Node, place: number): string => {
  const children = container.children ?? [];
  const child = children[place];
  if (child === undefined) return text;
  const close = container.offset + container.length - 1;
  const end = child.offset + child.length;
  const { comma } = readTail(text, end, children[place + 1]?.offset ?? close);
  const start = startOf(text, child.offset);
  const rest = text.slice(comma === undefined ? end : comma + 1);
  const previous = children[place - 1];
  const head = text.slice(0, start);
  // The last child had no comma of its own, so the previous one loses its comma.
  if (comma !== undefined || previous === undefined) return `${head}${rest}`;
  const found = readTail(text, previous.offset + previous.length, child.offset).comma;
  return found === undefined || found >= start
    ? `${head}${rest}`
    : `${head.slice(0, found)}${head.slice(found + 1)}${rest}`;
};

/** Start of a child; start of its line if only spaces precede it. */
const startOf = (text: string, offset: number): number => {
  let end = offset;
  while (text[end - 1] === ' ' || text[end - 1] === '\t') end -= 1;
  const before = text.slice(0, end);
  if (!before.endsWith('\n')) return before.length;
  return before.endsWith('\r\n') ? before.length - 2 : before.length - 1;
};

/** The comma after a child, and the end of its line's content: the comma and following comments. */
const readTail = (text: string, from: number, to: number): { comma: number | undefined; lineEnd: number } => {
  let [at, lineEnd] = [from, from];
  let comma: number | undefined;
  let isSameLine = true;
  while (at < to) {
    const length = tokenLength(text, at);
    if (text[at] === '\n') isSameLine = false;
    if (text[at] === ',') comma ??= at;
    const isBlank = length === 1 && text[at] !== ',';
    at += length;
    if (isSameLine && !isBlank) lineEnd = at;
  }
  return { comma, lineEnd };
};

/** Length of the comment at an offset; 1 for any other character. A line comment ends before its line break. */
const tokenLength = (text: string, at: number): number => {
  if (text.startsWith('//', at)) return /^[^\r\n]*/.exec(text.slice(at))?.[0].length ?? 1;
  if (!text.startsWith('/*', at)) return 1;
  const end = text.indexOf('*/', at + 2);
  return (end < 0 ? text.length : end + 2) - at;
};

const spelled = (value: unknown, indent: string, { eol, step }: Spelling): string =>
  JSON.stringify(value, undefined, step).replaceAll('\n', `${eol}${indent}`);

/** The white space before an offset; undefined if its line has other text before it. */
const indentAt = (text: string, offset: number): string | undefined => {
  const line = text.slice(text.lastIndexOf('\n', offset - 1) + 1, offset);
  return line.trim() === '' ? line : undefined;
};

const lineIndent = (text: string, offset: number): string =>
  /^[ \t]*/.exec(text.slice(text.lastIndexOf('\n', offset - 1) + 1))?.[0] ?? '';

const stepOf = (text: string): string => /^([ \t]+)\S/m.exec(text)?.[1] ?? '  ';
