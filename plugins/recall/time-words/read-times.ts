import { ENGLISH_TIMES } from './english-times.ts';
import type { TimeKind, TimeKinds, TimeLanguage } from './time-language.ts';
import { around, DAY_MS, type FormValues, spansOf, type TimeSpan } from './time-spans.ts';

/** The languages whose words for times are recognised. To support another language, add its table. */
const TIME_LANGUAGES: readonly TimeLanguage[] = [ENGLISH_TIMES];

/** Words beyond this number are ignored: a query of many pages is an instruction, not a question about a time. */
const MOST_WORDS = 256;
const LONGEST = 4_096;
/** The maximum number of small words in a row, as in `at the beginning of the month`. */
const MOST_SMALL = 4;
/** The maximum number of times in one question. */
const MOST_TIMES = 8;

/** Returns the spans of time that a question names. Relative ones count from `nowMs`. Empty without any. */
export const timesIn = (query: string, nowMs: number): readonly TimeSpan[] => {
  const words = [...query.slice(0, LONGEST).toLowerCase().matchAll(WORD)].slice(0, MOST_WORDS).map(([word]) => word);
  return TIME_LANGUAGES.flatMap((language) => new TimeReader(words, language, nowMs).read());
};

const WORD = /\d{4}-\d{2}(?:-\d{2})?|\d+|[\p{L}\p{M}]+/gu;

/** A recognised form: the indices of the word before it and of the word after it. */
interface FoundForm {
  readonly edge: number;
  readonly end: number;
  readonly spans: readonly TimeSpan[];
}

class TimeReader {
  readonly #words: readonly string[];
  readonly #language: TimeLanguage;
  readonly #nowMs: number;

  constructor(words: readonly string[], language: TimeLanguage, nowMs: number) {
    this.#words = words;
    this.#language = language;
    this.#nowMs = nowMs;
  }

  read(): readonly TimeSpan[] {
    const found: (readonly TimeSpan[])[] = [];
    let opened: readonly TimeSpan[] | undefined;
    for (let at = 0; at < this.#words.length && found.length < MOST_TIMES; ) {
      const form = this.#formAt(at, opened !== undefined);
      if (form === undefined) {
        at += 1;
        continue;
      }
      at = form.end;
      const { edge } = form;
      if (this.#is(edge, 'and') && opened !== undefined) found[found.length - 1] = joined(opened, form.spans);
      else found.push(this.#withEdge(form.spans, edge));
      opened = this.#is(edge, 'between') ? form.spans : undefined;
    }
    return found.flat();
  }

  #formAt(start: number, isOpen: boolean): FoundForm | undefined {
    const edge = this.#edgeOf(start);
    for (const [rule, ...kinds] of this.#language.forms) {
      const [first] = kinds;
      // Some words, such as `2023`, name a time only after a word such as `in` or `and`.
      const isBehind = first === 'at' || first === 'and';
      if (isBehind && !(this.#is(edge, first) && (first === 'at' || isOpen))) continue;
      const fit = this.#fit(isBehind ? kinds.slice(1) : kinds, start);
      if (fit === undefined) continue;
      const isNamed = this.#is(edge, 'at') || (isOpen && this.#is(edge, 'and'));
      if (!isNamed && this.#isVerb(start, fit.values)) continue;
      const spans = spansOf(rule, fit.values, this.#nowMs);
      if (spans.length > 0) return { edge, end: fit.end, spans };
    }
    return undefined;
  }

  /**
   * Matches words against the kinds of a form. Returns their values and the index after them; undefined without a
   * match.
   */
  #fit(kinds: TimeKinds, start: number): { readonly values: FormValues; readonly end: number } | undefined {
    const values: Record<string, number> = {};
    let at = start;
    for (const kind of kinds) {
      if (at > start) at = this.#past(at, 1);
      const word = this.#words[at];
      const value = word === undefined ? undefined : this.#valueOf(word, kind);
      if (value === undefined) return undefined;
      values[kind] = value;
      at += 1;
      if (kind === 'of_month' && this.#language.ordinals.has(this.#words[at] ?? '')) at += 1;
    }
    return { values, end: at };
  }

  /** Returns true if the month of a form may be a verb: `this may be`, `may 5 people`. */
  #isVerb(start: number, { which, month, year }: FormValues): boolean {
    if (month === undefined || year !== undefined) return false;
    const at = which === 0 ? this.#past(start + 1, 1) : start;
    return this.#language.verbs.has(this.#words[at] ?? '');
  }

  #valueOf(word: string, kind: TimeKinds[number]): number | undefined {
    const digits = DIGITS.test(word) ? Number(word.replaceAll('-', '')) : undefined;
    if (kind === 'date') return word.includes('-') && Number(word.slice(0, 4)) >= FIRST_DATED_YEAR ? digits : undefined;
    if (kind === 'year') return within(digits, FIRST_YEAR, LAST_YEAR);
    if (kind === 'of_month') return within(digits, 1, 31);
    return (
      this.#language.words[kind as TimeKind].get(word) ?? (kind === 'number' ? within(digits, 1, 1_000) : undefined)
    );
  }

  #is(at: number, kind: TimeKind): boolean {
    return this.#language.words[kind].has(this.#words[at] ?? '');
  }

  /** Returns the index of the word before a form, such as `since` or `before`. */
  #edgeOf(start: number): number {
    return this.#past(start - 1, -1);
  }

  /** Skips small words, forwards or backwards. */
  #past(from: number, step: 1 | -1): number {
    let at = from;
    while (Math.abs(at - from) < MOST_SMALL && this.#language.small.has(this.#words[at] ?? '')) at += step;
    return at;
  }

  #withEdge(spans: readonly TimeSpan[], edge: number): readonly TimeSpan[] {
    const kind = (['since', 'before', 'after'] as const).find((one) => this.#is(edge, one));
    // A month without a year has a span for each year; take the last one that has begun.
    const last = spans.findLast(({ fromMs }) => fromMs <= this.#nowMs) ?? spans[0];
    if (kind === undefined || last === undefined) return spans;
    if (kind === 'since') return [{ fromMs: last.fromMs, toMs: Math.max(this.#nowMs, last.toMs) }];
    const beside = this.#beside(edge, last, kind);
    if (beside !== undefined) return [beside];
    if (kind === 'after') return [{ fromMs: last.toMs, toMs: Number.POSITIVE_INFINITY }];
    return [{ fromMs: Number.NEGATIVE_INFINITY, toMs: last.fromMs }];
  }

  /** Reads `two weeks before`, `the Friday before` and `the day after`. */
  #beside(edge: number, { fromMs, toMs }: TimeSpan, kind: 'before' | 'after'): TimeSpan | undefined {
    const [far = '', near = ''] = [this.#words[edge - 2], this.#words[edge - 1]];
    const { unit, weekday } = this.#language.words;
    const days = weekday.has(near) ? 7 : unit.get(near);
    if (days === undefined) return undefined;
    const number = this.#valueOf(far, 'number');
    const lengthMs = days * DAY_MS;
    if (number === undefined) {
      return kind === 'before' ? { fromMs: fromMs - lengthMs, toMs: fromMs } : { fromMs: toMs, toMs: toMs + lengthMs };
    }
    // Counts from the middle of the day, so that `two days after` is a whole day.
    const middleMs =
      kind === 'before' ? fromMs + DAY_MS / 2 - number * lengthMs : toMs - DAY_MS / 2 + number * lengthMs;
    return around(middleMs, days);
  }
}

const FIRST_YEAR = 1_900;
const LAST_YEAR = 2_199;
const FIRST_DATED_YEAR = 100;
const DIGITS = /^[\d-]{1,10}$/;

const within = (value: number | undefined, least: number, most: number): number | undefined =>
  value !== undefined && value >= least && value <= most ? value : undefined;

/** Returns the spans from the first time to the second one. If one has no year, it takes the year of the other. */
const joined = (first: readonly TimeSpan[], second: readonly TimeSpan[]): readonly TimeSpan[] => {
  const [only, ...more] = first;
  const ends = only === undefined || more.length > 0 ? second : second.filter(({ toMs }) => toMs > only.fromMs);
  return (more.length > 0 ? ends : ends.slice(0, 1)).flatMap(({ fromMs: endMs, toMs }) => {
    const start = first.findLast(({ fromMs }) => fromMs <= endMs);
    return start === undefined ? [] : [{ fromMs: start.fromMs, toMs }];
  });
};
