import { type Contender, compareStrength } from './strength.ts';

/** A live fact, with the instant at which it stops to be: `NEVER` for one that does not expire. */
export interface LiveFact extends Contender {
  readonly untilMs: number;
}

export const NEVER = Number.MAX_SAFE_INTEGER;

/**
 * The time during which a fact is the strongest live one of its place: `fromMs` belongs to it, `untilMs` does not.
 * Exact ties share it. The present winner has reigned from 0 on, so that it does not matter how much clocks differ.
 */
export interface Reign extends Contender {
  readonly fromMs: number;
  readonly untilMs: number;
}

/** The fact that keeps a value alive longest. */
export type Lasting = Pick<LiveFact, 'id' | 'valueKey' | 'untilMs'>;

/**
 * What the live facts of one triple in one place come to, from now on and for all time, if nothing more is said. It
 * follows from the set of facts alone, and a further fact is added without looking at the others. Facts only ever cease
 * to be live, so a later winner is weaker.
 */
export interface Standing {
  /** In order of time, without a gap, until the last fact expires. */
  readonly reigns: readonly Reign[];
  /**
   * The value that stays alive longest, and the one that does so among all others: while both do, the place is
   * contested.
   */
  readonly lasting: Lasting | undefined;
  readonly contesting: Lasting | undefined;
  /**
   * Who reigns later than this was not worked out: `NEVER`, unless the strongest facts expire one after another and
   * there are more changes to come than are kept. Nobody reigns then, until something is said again.
   */
  readonly knownUntilMs: number;
}

export const NO_STANDING: Standing = { reigns: [], lasting: undefined, contesting: undefined, knownUntilMs: NEVER };

/**
 * Changes of reign that are kept in advance: bounds what a place of many short-lived facts costs those who write there.
 */
export const MOST_REIGNS = 64;

/** Up to which instant there are two differing live values. */
export const contestedUntil = ({ contesting }: Standing): number => contesting?.untilMs ?? 0;

/** Somebody who holds another value and is live as long as the place is contested. */
export const lastingRival = ({ lasting, contesting }: Standing, valueKey: string): Lasting | undefined =>
  lasting?.valueKey === valueKey ? contesting : lasting;

/** The standing of these facts. `knownUntilMs` when there are weaker ones that may be live after it. */
export const standingOf = (facts: readonly LiveFact[], nowMs: number, knownUntilMs = NEVER): Standing =>
  facts.reduce((standing, fact) => withFact(standing, fact, nowMs), { ...NO_STANDING, knownUntilMs });

/** The standing with one more live fact. What has passed by `nowMs` is left out. */
export const withFact = (standing: Standing, fact: LiveFact, nowMs: number): Standing => {
  const known = standing.reigns.filter(({ untilMs }) => untilMs > nowMs);
  if (fact.untilMs <= nowMs) return { ...standing, reigns: known };
  const reigns = joined(withReign(known, fact));
  return { ...within(reigns, standing.knownUntilMs), ...withLasting(standing, fact) };
};

const within = (reigns: readonly Reign[], knownUntilMs: number): Pick<Standing, 'reigns' | 'knownUntilMs'> => {
  const endMs = Math.min(knownUntilMs, spansOf(reigns)[MOST_REIGNS]?.[0]?.fromMs ?? NEVER);
  const known = reigns.filter(({ fromMs }) => fromMs < endMs);
  return {
    reigns: known.map((reign) => (reign.untilMs > endMs ? { ...reign, untilMs: endMs } : reign)),
    knownUntilMs: endMs,
  };
};

const withReign = (known: readonly Reign[], fact: LiveFact): Reign[] => {
  const reigns: Reign[] = [];
  const { id, valueKey, confidence, hlc, untilMs } = fact;
  const reign = (fromMs: number, to: number): Reign => ({ id, valueKey, confidence, hlc, fromMs, untilMs: to });
  let end = 0;
  for (const span of spansOf(known)) {
    const [first] = span;
    if (first === undefined) continue;
    end = Math.max(end, first.untilMs);
    const order = compareStrength(fact, first);
    const cut = Math.min(untilMs, first.untilMs);
    if (order > 0 || cut <= first.fromMs) {
      reigns.push(...span);
      continue;
    }
    const others = order === 0 ? span.filter((other) => other.valueKey !== valueKey) : [];
    reigns.push(...others.map((other) => ({ ...other, untilMs: cut })));
    reigns.push(reign(first.fromMs, cut));
    if (cut < first.untilMs) reigns.push(...span.map((other) => ({ ...other, fromMs: cut })));
  }
  if (untilMs > end) reigns.push(reign(end, untilMs));
  return reigns;
};

/** Reigns of the same time belong together. */
const spansOf = (reigns: readonly Reign[]): Reign[][] => {
  const spans: Reign[][] = [];
  for (const reign of reigns) {
    const last = spans.at(-1);
    if (last?.[0]?.fromMs === reign.fromMs) last.push(reign);
    else spans.push([reign]);
  }
  return spans;
};

/** One reign in place of two of a fact that follow one another. */
const joined = (reigns: readonly Reign[]): Reign[] => {
  const result: Reign[] = [];
  for (const span of spansOf(reigns)) {
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

const isSingle = (reigns: readonly Reign[], last: Reign): boolean => reigns.at(-2)?.fromMs !== last.fromMs;

const withLasting = (
  { lasting, contesting }: Standing,
  { id, valueKey, untilMs }: LiveFact,
): Pick<Standing, 'lasting' | 'contesting'> => {
  const fact: Lasting = { id, valueKey, untilMs };
  const isLonger = (than: Lasting | undefined): boolean => than === undefined || untilMs > than.untilMs;
  if (lasting?.valueKey === valueKey) return { lasting: isLonger(lasting) ? fact : lasting, contesting };
  if (isLonger(lasting)) return { lasting: fact, contesting: lasting };
  if (contesting?.valueKey === valueKey || isLonger(contesting)) {
    return { lasting, contesting: isLonger(contesting) ? fact : contesting };
  }
  return { lasting, contesting };
};
