import type { StoredFact } from '../../../kernel/plugin-api.ts';
import { DAY_MS, type TimeSpan } from './time-spans.ts';

/**
 * The bonus of a fact in a time that the question names. On conversations a bonus of 0.25 to 0.5 found more of the
 * evidence and lost none; from 0.75 on, what people say about a month in the next one fell behind.
 */
const MOST = 0.5;
const LONGEST_TAIL_MS = 30 * DAY_MS;

/** Returns the factor of a fact, 1 to 1.5. It falls off smoothly outside of the spans, by their own length. */
export const timedFactor = (spans: readonly TimeSpan[], { validFromMs, timestampMs }: StoredFact): number =>
  1 + MOST * spans.reduce((most, span) => Math.max(most, closeness(span, validFromMs ?? timestampMs)), 0);

const closeness = ({ fromMs, toMs }: TimeSpan, ms: number): number => {
  const gapMs = Math.max(0, fromMs - ms, ms - toMs);
  return Math.exp(-gapMs / Math.min(Math.max(toMs - fromMs, DAY_MS), LONGEST_TAIL_MS));
};
