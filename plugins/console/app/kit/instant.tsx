import { nowMs } from './platform.ts';

const UNITS: readonly [unit: Intl.RelativeTimeFormatUnit, ms: number][] = [
  ['year', 365 * 86_400_000],
  ['month', 30 * 86_400_000],
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1_000],
];

const RELATIVE = new Intl.RelativeTimeFormat(undefined, { numeric: 'auto' });
const LOCAL = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });

/** An instant in the zone of the reader. The exact instant, as the node gave it, is in the title. */
export const Instant = ({ at, relative = false }: { at: string | null | undefined; relative?: boolean }) => {
  if (at === null || at === undefined) return <span class="muted">–</span>;
  const ms = Date.parse(at);
  if (Number.isNaN(ms)) return <bdi class="shown">{at}</bdi>;
  return (
    <time dateTime={at} title={at}>
      {relative ? relativeTo(ms, nowMs()) : LOCAL.format(ms)}
    </time>
  );
};

export const relativeTo = (ms: number, now: number): string => {
  const distance = ms - now;
  const [unit, length] = UNITS.find(([, each]) => Math.abs(distance) >= each) ?? (['second', 1_000] as const);
  return RELATIVE.format(Math.round(distance / length), unit);
};
