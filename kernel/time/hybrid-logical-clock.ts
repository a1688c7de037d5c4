import type { Hlc } from '../../ports/fact.ts';

export { compareHlc } from '../../ports/fact.ts';

/** The stamp before every other stamp. */
export const ZERO_HLC: Hlc = Object.freeze({ wallMs: 0, counter: 0 });

/** The largest counter in the text form, which a 32-bit column can store. */
export const MAX_COUNTER = 2 ** 31 - 1;

/** The maximum counter of a stamp from outside, because a higher one could exhaust this node's counter. */
export const REMOTE_COUNTER_LIMIT = 2 ** 20;

const TEXT_FORM = /^([0-9]{1,15})\.([0-9]{1,10})$/;
const WALL_DIGITS = 13;

/** Returns the stamp of a local write, later than `last` and not before `nowMs` (whole milliseconds). */
export const tickHlc = (last: Hlc, nowMs: number): Hlc =>
  nowMs > last.wallMs ? { wallMs: nowMs, counter: 0 } : stampAt(last.wallMs, last.counter + 1);

/**
 * Returns the clock after a stamp from outside: later than `last` and `received`, and not before `nowMs`. Check
 * `isTooFarAhead` and `REMOTE_COUNTER_LIMIT` first. It clamps nothing, because a clamped clock could end below a stored
 * stamp.
 */
export const receiveHlc = (last: Hlc, nowMs: number, received: Hlc): Hlc => {
  const wallMs = Math.max(nowMs, last.wallMs, received.wallMs);
  const lastCounter = last.wallMs === wallMs ? last.counter : -1;
  const receivedCounter = received.wallMs === wallMs ? received.counter : -1;
  return stampAt(wallMs, Math.max(lastCounter, receivedCounter) + 1);
};

/**
 * True when the stamp lies more than `boundMs` ahead of physical time; a bound of 0 disables the test. Pass the
 * physical clock, never our own stamp: peers could otherwise push the node forward step by step.
 */
export const isTooFarAhead = (hlc: Hlc, nowMs: number, boundMs: number): boolean =>
  boundMs > 0 && hlc.wallMs - nowMs > boundMs;

/** Parses a stamp, `<milliseconds>.<counter>`; null for anything else. Leading zeros are accepted. */
export const parseHlc = (text: string): Hlc | null => {
  const parts = TEXT_FORM.exec(text);
  if (parts === null) return null;
  const counter = Number(parts[2]);
  return counter > MAX_COUNTER ? null : { wallMs: Number(parts[1]), counter };
};

/**
 * Formats a stamp as `<wall, at least 13 digits>.<counter>`, for people and the protocol. The text does not sort in the
 * order of stamps.
 */
export const formatHlc = (hlc: Hlc): string => `${String(hlc.wallMs).padStart(WALL_DIGITS, '0')}.${hlc.counter}`;

const stampAt = (wallMs: number, counter: number): Hlc =>
  counter > MAX_COUNTER ? { wallMs: wallMs + 1, counter: 0 } : { wallMs, counter };
