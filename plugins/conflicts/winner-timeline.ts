import { type Contender, compareStrength } from './strength.ts';

/**
 * A live fact, or one that begins in the future. It is valid from `fromMs` until before `untilMs`. `fromMs` is 0 for a
 * fact without a beginning, and `untilMs` is `NEVER` for a fact that does not expire.
 */
export interface LiveFact extends Contender {
  readonly fromMs: number;
  readonly untilMs: number;
}

export const NEVER = Number.MAX_SAFE_INTEGER;

/**
 * The time span in which a fact is the strongest live one of its triple: from `fromMs` until before `untilMs`. Equally
 * strong facts share a span. The present span starts at 0, so that differing clocks do not matter.
 */
export interface Win extends Contender {
  readonly fromMs: number;
  readonly untilMs: number;
  /** The instant within the span until which the triple has a contradiction. */
  readonly contestedUntilMs: number;
}

/** A live fact whose value stays live longer than any other value of its triple. */
export type LongestLived = Pick<LiveFact, 'id' | 'valueKey' | 'untilMs'>;

/**
 * The present and future winners of one triple in one garden, if no fact is added. They depend only on the set of
 * facts. A new fact can be added without reading the others, unless a fact begins in the future: then the spans before
 * and after its beginning have different winners.
 */
export interface WinnerTimeline {
  /** The winners in order of time, until the last fact expires. */
  readonly wins: readonly Win[];
  /**
   * The value that stays live longest, and the next one with another value. Once all facts have begun, the triple has
   * a contradiction while both are live.
   */
  readonly lasting: LongestLived | undefined;
  readonly contesting: LongestLived | undefined;
  /**
   * The instant after which winners are unknown. It is `NEVER`, unless there are more than `MOST_WINS` future changes.
   * From then on the triple has no winner until a fact is added.
   */
  readonly knownUntilMs: number;
  /**
   * The latest beginning of a fact that had not begun yet; 0 without one. Before this instant, no fact can be added.
   */
  readonly begunMs: number;
}

export const EMPTY_TIMELINE: WinnerTimeline = {
  wins: [],
  lasting: undefined,
  contesting: undefined,
  knownUntilMs: NEVER,
  begunMs: 0,
};

/** The maximum number of precomputed changes. It limits the cost of a write to a triple with many short-lived facts. */
export const MOST_WINS = 64;

/** Returns the last instant at which two different values can be live. */
export const contestedUntil = ({ contesting }: WinnerTimeline): number => contesting?.untilMs ?? 0;

/** Returns true if the timeline is known at `nowMs`, and the triple has a contradiction then or later. */
export const isContested = (timeline: WinnerTimeline | undefined, nowMs: number): boolean =>
  timeline !== undefined && contestedUntil(timeline) > nowMs && timeline.knownUntilMs > nowMs;

/** Returns a fact with another value that is live until the contradiction ends. */
export const lastingRival = ({ lasting, contesting }: WinnerTimeline, valueKey: string): LongestLived | undefined =>
  lasting?.valueKey === valueKey ? contesting : lasting;

/**
 * Computes the timeline of these facts. `knownUntilMs` is given if weaker facts, which are not among them, may be live
 * after that instant.
 */
export const timelineOf = (facts: readonly LiveFact[], nowMs: number, knownUntilMs = NEVER): WinnerTimeline => {
  const begins = [...new Set(facts.map(({ fromMs }) => fromMs).filter((fromMs) => fromMs > nowMs))].sort(
    (a, b) => a - b,
  );
  if (begins.length === 0) return timelineOfBegun(facts, nowMs, knownUntilMs);
  const endMs = Math.min(knownUntilMs, begins[MOST_WINS] ?? NEVER);
  const starts = [0, ...begins].filter((startMs) => startMs < endMs);
  const wins = starts.flatMap((startMs, at) => {
    const begun = facts.filter(({ fromMs }) => fromMs <= Math.max(startMs, nowMs));
    return winsWithin(timelineOfBegun(begun, Math.max(startMs, nowMs), endMs), startMs, starts[at + 1] ?? endMs);
  });
  const whole = facts.reduce(withLasting, EMPTY_TIMELINE);
  return { ...whole, ...within(wins, endMs), begunMs: begins.at(-1) ?? 0 };
};

const timelineOfBegun = (facts: readonly LiveFact[], nowMs: number, knownUntilMs: number): WinnerTimeline =>
  facts.reduce((timeline, fact) => withFact(timeline, fact, nowMs), { ...EMPTY_TIMELINE, knownUntilMs });

/** Returns the parts of the wins between two instants, the second one excluded. */
const winsWithin = ({ wins }: WinnerTimeline, startMs: number, endMs: number): Win[] =>
  wins
    .filter(({ fromMs, untilMs }) => fromMs < endMs && untilMs > startMs)
    .map((win) => ({ ...win, fromMs: Math.max(win.fromMs, startMs), untilMs: Math.min(win.untilMs, endMs) }));

/** Returns true if the facts can be added to the timeline without reading the other facts. */
export const canTake = ({ begunMs }: WinnerTimeline, facts: readonly LiveFact[], nowMs: number): boolean =>
  begunMs <= nowMs && facts.every(({ fromMs }) => fromMs <= nowMs);

/**
 * Returns the timeline with one more live fact, and without the wins that ended before `nowMs`. All of its facts must
 * have begun.
 */
export const withFact = (timeline: WinnerTimeline, fact: LiveFact, nowMs: number): WinnerTimeline => {
  const known = timeline.wins.filter(({ untilMs }) => untilMs > nowMs);
  if (fact.untilMs <= nowMs) return { ...timeline, wins: known };
  const lasting = withLasting(timeline, fact);
  const contestedUntilMs = contestedUntil(lasting);
  const wins = joined(withWin(known, fact)).map((win) => ({ ...win, contestedUntilMs }));
  return { ...lasting, ...within(wins, timeline.knownUntilMs) };
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
  const contender: Contender = { id, valueKey, confidence, hlc };
  const win = (fromMs: number, to: number): Win => ({ ...contender, fromMs, untilMs: to, contestedUntilMs: 0 });
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

/** Returns the timeline after the fact was compared with the two values that stay live longest. */
const withLasting = (timeline: WinnerTimeline, { id, valueKey, untilMs }: LiveFact): WinnerTimeline => {
  const { lasting, contesting } = timeline;
  const fact: LongestLived = { id, valueKey, untilMs };
  const isLonger = (than: LongestLived | undefined): boolean => than === undefined || untilMs > than.untilMs;
  if (lasting?.valueKey === valueKey) return isLonger(lasting) ? { ...timeline, lasting: fact } : timeline;
  if (isLonger(lasting)) return { ...timeline, lasting: fact, contesting: lasting };
  if (contesting?.valueKey !== valueKey && !isLonger(contesting)) return timeline;
  return { ...timeline, contesting: isLonger(contesting) ? fact : contesting };
};
