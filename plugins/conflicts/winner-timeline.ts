import { type Contender, compareStrength } from './strength.ts';

/** A live fact with the instant at which it expires; `NEVER` if it does not expire. */
export interface LiveFact extends Contender {
  readonly untilMs: number;
}

export const NEVER = Number.MAX_SAFE_INTEGER;

/**
 * The time span in which a fact is the strongest live one of its triple: from `fromMs`, before `untilMs`. Equally
 * strong facts share it. The present win starts at 0, so that differing clocks do not matter.
 */
export interface Win extends Contender {
  readonly fromMs: number;
  readonly untilMs: number;
}

/** A live fact whose value stays live longer than any other value of its triple. */
export type LongestLived = Pick<LiveFact, 'id' | 'valueKey' | 'untilMs'>;

/**
 * The present and future winners of one triple in one garden, as long as no fact is added. It depends on the set of
 * facts alone, and a new fact can be added without reading the others. Without new facts, live facts only expire, so
 * each later winner is weaker.
 */
export interface WinnerTimeline {
  /** The winners in order of time, without a gap, until the last fact expires. */
  readonly wins: readonly Win[];
  /**
   * The value that stays live longest, and the next one with another value. While both are live, the triple has a
   * contradiction.
   */
  readonly lasting: LongestLived | undefined;
  readonly contesting: LongestLived | undefined;
  /**
   * The instant after which winners are unknown. It is `NEVER`, unless there are more than `MOST_WINS` future changes.
   * From then on the triple has no winner until a fact is added.
   */
  readonly knownUntilMs: number;
}

export const EMPTY_TIMELINE: WinnerTimeline = {
  wins: [],
  lasting: undefined,
  contesting: undefined,
  knownUntilMs: NEVER,
};

/** The maximum number of precomputed changes. It limits the cost of a write to a triple with many short-lived facts. */
export const MOST_WINS = 64;

/** Returns the instant until which two different values are live. */
export const contestedUntil = ({ contesting }: WinnerTimeline): number => contesting?.untilMs ?? 0;

/** Returns true if the timeline is known at that time, and has a contradiction then. */
export const isContested = (timeline: WinnerTimeline | undefined, nowMs: number): boolean =>
  timeline !== undefined && contestedUntil(timeline) > nowMs && timeline.knownUntilMs > nowMs;

/** Returns a fact with another value that is live until the contradiction ends. */
export const lastingRival = ({ lasting, contesting }: WinnerTimeline, valueKey: string): LongestLived | undefined =>
  lasting?.valueKey === valueKey ? contesting : lasting;

/**
 * Computes the timeline of these facts. `knownUntilMs` is given if weaker facts, which are not among them, may be live
 * after that instant.
 */
export const timelineOf = (facts: readonly LiveFact[], nowMs: number, knownUntilMs = NEVER): WinnerTimeline =>
  facts.reduce((timeline, fact) => withFact(timeline, fact, nowMs), { ...EMPTY_TIMELINE, knownUntilMs });

/** Returns the timeline with one more live fact, and without the wins that ended before `nowMs`. */
export const withFact = (timeline: WinnerTimeline, fact: LiveFact, nowMs: number): WinnerTimeline => {
  const known = timeline.wins.filter(({ untilMs }) => untilMs > nowMs);
  if (fact.untilMs <= nowMs) return { ...timeline, wins: known };
  const wins = joined(withWin(known, fact));
  return { ...within(wins, timeline.knownUntilMs), ...withLasting(timeline, fact) };
};

const within = (wins: readonly Win[], knownUntilMs: number): Pick<WinnerTimeline, 'wins' | 'knownUntilMs'> => {
  const endMs = Math.min(knownUntilMs, spansOf(wins)[MOST_WINS]?.[0]?.fromMs ?? NEVER);
  const known = wins.filter(({ fromMs }) => fromMs < endMs);
  return {
    wins: known.map((win) => (win.untilMs > endMs ? { ...win, untilMs: endMs } : win)),
    knownUntilMs: endMs,
  };
};

const withWin = (known: readonly Win[], fact: LiveFact): Win[] => {
  const wins: Win[] = [];
  const { id, valueKey, confidence, hlc, untilMs } = fact;
  const win = (fromMs: number, to: number): Win => ({ id, valueKey, confidence, hlc, fromMs, untilMs: to });
  let end = 0;
  for (const span of spansOf(known)) {
    const [first] = span;
    if (first === undefined) continue;
    end = Math.max(end, first.untilMs);
    const order = compareStrength(fact, first);
    const cut = Math.min(untilMs, first.untilMs);
    if (order > 0 || cut <= first.fromMs) {
      wins.push(...span);
      continue;
    }
    const others = order === 0 ? span.filter((other) => other.valueKey !== valueKey) : [];
    wins.push(...others.map((other) => ({ ...other, untilMs: cut })));
    wins.push(win(first.fromMs, cut));
    if (cut < first.untilMs) wins.push(...span.map((other) => ({ ...other, fromMs: cut })));
  }
  if (untilMs > end) wins.push(win(end, untilMs));
  return wins;
};

/** Groups wins with equal time spans: those of equally strong facts. */
const spansOf = (wins: readonly Win[]): Win[][] => {
  const spans: Win[][] = [];
  for (const win of wins) {
    const last = spans.at(-1);
    if (last?.[0]?.fromMs === win.fromMs) last.push(win);
    else spans.push([win]);
  }
  return spans;
};

/** Merges two successive wins of the same fact. */
const joined = (wins: readonly Win[]): Win[] => {
  const result: Win[] = [];
  for (const span of spansOf(wins)) {
    const before = result.at(-1);
    const [only] = span;
    const isAlone = span.length === 1 && only !== undefined && before !== undefined;
    if (isAlone && before.id === only.id && before.untilMs === only.fromMs && isSingle(result, before)) {
      result[result.length - 1] = { ...before, untilMs: only.untilMs };
    } else {
      result.push(...span);
    }
  }
  return result;
};

const isSingle = (wins: readonly Win[], last: Win): boolean => wins.at(-2)?.fromMs !== last.fromMs;

const withLasting = (
  { lasting, contesting }: WinnerTimeline,
  { id, valueKey, untilMs }: LiveFact,
): Pick<WinnerTimeline, 'lasting' | 'contesting'> => {
  const fact: LongestLived = { id, valueKey, untilMs };
  const isLonger = (than: LongestLived | undefined): boolean => than === undefined || untilMs > than.untilMs;
  if (lasting?.valueKey === valueKey) return { lasting: isLonger(lasting) ? fact : lasting, contesting };
  if (isLonger(lasting)) return { lasting: fact, contesting: lasting };
  if (contesting?.valueKey === valueKey || isLonger(contesting)) {
    return { lasting, contesting: isLonger(contesting) ? fact : contesting };
  }
  return { lasting, contesting };
};
