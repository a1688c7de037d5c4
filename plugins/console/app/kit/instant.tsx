import { LOCALE } from '../texts/texts.ts';
import { nowMs } from './platform.ts';

const UNITS: readonly [unit: Intl.RelativeTimeFormatUnit, ms: number][] = [
  ['year', 365 * 86_400_000],
  ['month', 30 * 86_400_000],
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1_000],
];

const RELATIVE = new Intl.RelativeTimeFormat(LOCALE, { numeric: 'auto' });
const LOCAL = new Intl.DateTimeFormat(LOCALE, { dateStyle: 'medium', timeStyle: 'medium' });

/** Matches a date without a time, which is the same day for readers in every zone. */
const DATE = /^\d{4}-\d{2}-\d{2}$/;
const DAY = new Intl.DateTimeFormat(LOCALE, { dateStyle: 'medium', timeZone: 'UTC' });

/** Shows an instant in the reader's zone, with the exact instant of the node as its title. */
export const Instant = ({ at, relative = false }: { at: string | null | undefined; relative?: boolean }) => {
  if (at === null || at === undefined) return <span class="muted">–</span>;
  const ms = Date.parse(at);
  if (Number.isNaN(ms)) return <bdi class="shown">{at}</bdi>;
  return (
    <time dateTime={at} title={at}>
      {DATE.test(at) ? DAY.format(ms) : relative ? relativeTo(ms, nowMs()) : localTime(ms)}
    </time>
  );
};

/** Formats an instant in the reader's zone, for places that accept only text. */
export const localTime = (ms: number): string => LOCAL.format(ms);

export const relativeTo = (ms: number, now: number): string => {
  const distance = ms - now;
  const [unit, length] = UNITS.find(([, each]) => Math.abs(distance) >= each) ?? (['second', 1_000] as const);
  return RELATIVE.format(Math.round(distance / length), unit);
};
