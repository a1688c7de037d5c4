import type { FormRule } from './time-language.ts';

/** A span of time, end exclusive, in milliseconds since 1970. One end may be infinite. */
export interface TimeSpan {
  readonly fromMs: number;
  readonly toMs: number;
}

/** The values of a form by the kinds of its words; a date is `YYYYMM` or `YYYYMMDD`. */
export type FormValues = Readonly<Partial<Record<string, number>>>;

export const DAY_MS = 24 * 60 * 60 * 1000;
const WEEK_DAYS = 7;
const MONTH_DAYS = 30;

/** A month or season without a year gets a span for each of this many past years, this year and the next. */
const YEARS_BACK = 20;

/** Returns the spans that a form means. Times of day and of calendars are those of UTC. */
export const spansOf = (rule: FormRule, values: FormValues, nowMs: number): readonly TimeSpan[] => {
  const { which = 0, number = 1, unit = 1, weekday, day = 0 } = values;
  const today = startOfDay(nowMs);
  if (rule === 'calendar') return calendarSpans(values, nowMs);
  if (rule === 'ago') return [around(nowMs - number * unit * DAY_MS, unit)];
  if (rule === 'day') return [daySpan(today + day * DAY_MS)];
  if (rule === 'within') {
    const otherMs = nowMs + (which < 0 ? -1 : 1) * number * unit * DAY_MS;
    return [{ fromMs: Math.min(nowMs, otherMs), toMs: Math.max(nowMs, otherMs) }];
  }
  if (weekday === undefined) return relativeSpans(values, nowMs);
  const since = (new Date(today).getUTCDay() - weekday + WEEK_DAYS) % WEEK_DAYS;
  if (rule === 'weekday' || which < 0) {
    const back = since === 0 && rule === 'relative' ? WEEK_DAYS : since;
    return [daySpan(today - back * DAY_MS)];
  }
  const ahead = WEEK_DAYS - since;
  return [daySpan(today + (which > 0 ? ahead : ahead % WEEK_DAYS) * DAY_MS)];
};

const startOfDay = (ms: number): number => Math.floor(ms / DAY_MS) * DAY_MS;

const daySpan = (fromMs: number): TimeSpan => ({ fromMs, toMs: fromMs + DAY_MS });

/** Returns a span of this many days, centred on an instant. */
export const around = (ms: number, days: number): TimeSpan => ({
  fromMs: ms - (days * DAY_MS) / 2,
  toMs: ms + (days * DAY_MS) / 2,
});

/**
 * Returns a span of whole months. `Date.UTC` maps years below 100 to 1900 and later, but the reader accepts none of
 * these.
 */
const monthsSpan = (year: number, month: number, months = 1): TimeSpan => ({
  fromMs: Date.UTC(year, month - 1, 1),
  toMs: Date.UTC(year, month - 1 + months, 1),
});

const FIRST_SPRING_MONTH = 3;

const calendarSpans = ({ date, year, month, of_month, season }: FormValues, nowMs: number): readonly TimeSpan[] => {
  if (date !== undefined) return dateSpans(date);
  const ofYear = (one: number): readonly TimeSpan[] => {
    if (season !== undefined) return [monthsSpan(one, FIRST_SPRING_MONTH + 3 * season, 3)];
    if (month === undefined) return [monthsSpan(one, 1, 12)];
    return of_month === undefined ? [monthsSpan(one, month)] : dayOf(one, month, of_month);
  };
  if (year !== undefined) {
    const spans = ofYear(year);
    // The month stands for a day that it does not have, such as 29 February 2023.
    return spans.length === 0 && month !== undefined ? [monthsSpan(year, month)] : spans;
  }
  const thisYear = new Date(nowMs).getUTCFullYear();
  return Array.from({ length: YEARS_BACK + 2 }, (_, at) => ofYear(thisYear - YEARS_BACK + at)).flat();
};

/** Returns nothing for a day that the month does not have. */
const dayOf = (year: number, month: number, day: number): readonly TimeSpan[] => {
  const ms = Date.UTC(year, month - 1, day);
  return new Date(ms).getUTCMonth() === month - 1 ? [daySpan(ms)] : [];
};

const dateSpans = (date: number): readonly TimeSpan[] => {
  const [year, month, day] =
    date > 999_999
      ? [Math.floor(date / 10_000), Math.floor(date / 100) % 100, date % 100]
      : [Math.floor(date / 100), date % 100];
  if (year === undefined || month === undefined || month < 1 || month > 12) return [];
  return day === undefined ? [monthsSpan(year, month)] : dayOf(year, month, day);
};

/** Returns the last, this or the next week, month, year, season or named month. */
const relativeSpans = ({ which = 0, unit, month, season }: FormValues, nowMs: number): readonly TimeSpan[] => {
  const now = new Date(nowMs);
  const [year, thisMonth] = [now.getUTCFullYear(), now.getUTCMonth() + 1];
  if (unit !== undefined) {
    if (unit < WEEK_DAYS) return [daySpan(startOfDay(nowMs) + which * DAY_MS)];
    if (unit < MONTH_DAYS) {
      const monday = startOfDay(nowMs) - ((now.getUTCDay() + WEEK_DAYS - 1) % WEEK_DAYS) * DAY_MS;
      const fromMs = monday + which * WEEK_DAYS * DAY_MS;
      return [{ fromMs, toMs: fromMs + WEEK_DAYS * DAY_MS }];
    }
    return [unit < 2 * MONTH_DAYS ? monthsSpan(year, thisMonth + which) : monthsSpan(year + which, 1, 12)];
  }
  // A winter ends in the next year: in January, the last complete winter began two years before.
  const years = [year - 2, year - 1, year, year + 1];
  const spans = years.flatMap((one) => calendarSpans({ year: one, month, season }, nowMs));
  if (which < 0) return spans.filter(({ toMs }) => toMs <= nowMs).slice(-1);
  return spans.filter(({ toMs, fromMs }) => (which > 0 ? fromMs > nowMs : toMs > nowMs)).slice(0, 1);
};
