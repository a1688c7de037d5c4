import type { ImportSettings } from './importers-api.ts';
import { originEnd, originInstant } from './origin-values.ts';

interface RunOptions {
  readonly map: readonly string[];
  /** The offset for instants without one, for example `+02:00`. */
  readonly utcOffset: string;
  readonly nowMs: number;
}

const OFFSET = /^(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/;

/** Returns whether a text is an offset from UTC, as instants end with it. */
export const isOffset = (text: string): boolean => OFFSET.test(text);

export const importSettings = ({ map, utcOffset, nowMs }: RunOptions): ImportSettings => ({
  nowMs,
  map,
  instant: (value) => originInstant(value, utcOffset),
  end: (value, offset = utcOffset) => originEnd(value, offset),
});
