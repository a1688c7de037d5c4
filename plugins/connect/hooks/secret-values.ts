import { SECRET_FORMS, type SecretForm } from './secret-forms.ts';
import { LABELLED } from './secret-labels.ts';
import { SHAPED } from './secret-shapes.ts';

/** Text whose suspected secrets are masked. */
export interface CleanText {
  readonly text: string;
  readonly masked: number;
}

const MASK = '***';
/** The maximum length of text to search, far beyond the length of a note. It limits the work. */
const MAX_LENGTH = 16_000;

/**
 * Masks values that look like keys, tokens or passwords; the lines around them stay. This is a guess; some secrets look
 * like ordinary text.
 */
export const withoutSecrets = (given: string): CleanText => {
  const text = given.slice(0, MAX_LENGTH);
  const folded = foldSigns(text);
  const found = [...SECRET_FORMS, ...LABELLED, ...SHAPED].flatMap((form) => spansOf(form, folded));
  let result = '';
  let end = 0;
  let masked = 0;
  for (const [from, to] of found.toSorted((a, b) => a[0] - b[0] || b[1] - a[1])) {
    if (to <= end) continue;
    if (from >= end) {
      result += `${text.slice(end, from)}${MASK}`;
      masked += 1;
    }
    end = to;
  }
  return { text: result + text.slice(end), masked };
};

type Span = readonly [from: number, to: number];

const spansOf = ({ pattern, accepts }: SecretForm, text: string): readonly Span[] => {
  const spans: Span[] = [];
  for (const match of text.matchAll(pattern)) {
    const span = match.indices?.groups?.['v'];
    const value = match.groups?.['v'] ?? '';
    if (span === undefined || value.trim() === '') continue;
    if (accepts === undefined || accepts(value, text, span[0])) spans.push(trimmed(span, value));
  }
  return spans;
};

/** Excludes the white space around a value from the masked range. */
const trimmed = ([from, to]: Span, value: string): Span => [
  from + (value.length - value.trimStart().length),
  to - (value.length - value.trimEnd().length),
];

/** Replaces full-width signs, spaces and quotation marks by plain ones of the same length. */
const foldSigns = (text: string): string =>
  text
    .replace(/[\uff01-\uff5e]/g, (sign) => String.fromCharCode(sign.charCodeAt(0) - 0xfee0))
    .replace(/[\u00a0\u3000\u2007\u202f]/g, ' ')
    .replace(/[“”„«»「」『』]/g, '"')
    .replace(/[‘‚]/g, "'");
