/** The longest beginning of a text that has at most this many bytes in UTF-8. It splits no character. */
export const cutText = (text: string, mostBytes: number): string => {
  // A text has at least as many bytes as UTF-16 units.
  if (text.length <= mostBytes && Buffer.byteLength(text) <= mostBytes) return text;
  const bytes = Buffer.from(text.slice(0, mostBytes));
  let end = Math.min(mostBytes, bytes.length);
  while (end > 0 && ((bytes[end] ?? 0) & CONTINUATION_MASK) === CONTINUATION) end -= 1;
  const cut = bytes.toString('utf8', 0, end);
  return cut.endsWith(REPLACEMENT) && !text.startsWith(cut) ? cut.slice(0, -1) : cut;
};

const CONTINUATION_MASK = 0xc0;
const CONTINUATION = 0x80;
/** The character that encodes half a surrogate pair, which a cut between UTF-16 units may leave. */
const REPLACEMENT = '\uFFFD';

/** A fact as JSON whose value is cut, and the length of the whole value in UTF-16 units. */
export interface CutFact {
  readonly fact: Readonly<Record<string, unknown>>;
  /** Undefined if the value is whole. */
  readonly valueLength?: number;
}

/** Cuts the value of a fact in JSON to `mostBytes`. */
export const cutFact = (fact: Readonly<Record<string, unknown>>, mostBytes: number): CutFact => {
  const value = fact['value'] as { readonly v?: unknown } | undefined;
  if (typeof value?.v !== 'string') return { fact };
  const v = cutText(value.v, mostBytes);
  return v.length === value.v.length
    ? { fact }
    : { fact: { ...fact, value: { ...value, v } }, valueLength: value.v.length };
};
