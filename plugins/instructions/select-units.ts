import type { Unit } from './manifest.ts';

/** The parameters of a request besides the intent. */
export interface UnitRequest {
  /** Names of units, in order of preference. */
  readonly hints: readonly string[];
  /** The maximum number of units to load besides guaranteed ones. */
  readonly maxChunks: number;
  readonly tokenBudget: number;
}

export interface Loadable {
  readonly tokens: number;
}

export interface SelectedUnit<L extends Loadable> {
  readonly unit: Unit;
  readonly content: L;
  /** 1 for a hint, otherwise how well the unit fits the intent, below 1. */
  readonly score: number;
}

export interface Selection<L extends Loadable> {
  readonly selected: readonly SelectedUnit<L>[];
  readonly totalTokens: number;
  /** True if the budget excluded a unit, or if guaranteed units exceeded it. */
  readonly truncated: boolean;
  /**
   * Hints without a loaded unit: unknown, without a text for the reader, or beyond the limits. Each once, in the order
   * given.
   */
  readonly missedHints: readonly string[];
}

/**
 * Selects in three phases: hints, then units by their score while slots remain, then all guaranteed units. Guaranteed
 * units that are to be prepended come before all. A guaranteed unit takes no slot and is never cut, not even as a hint.
 * A unit that does not fit is skipped, and smaller ones are still tried. `scores` belong to the units; a unit with
 * score 0 does not fit the intent and loads only as a hint or as a guaranteed one. A unit for which `load` returns
 * nothing is skipped and takes no slot.
 */
export const selectUnits = async <L extends Loadable>(
  units: readonly Unit[],
  scores: readonly number[],
  { hints, maxChunks, tokenBudget }: UnitRequest,
  load: (unit: Unit) => Promise<L | undefined>,
): Promise<Selection<L>> => {
  const selected: SelectedUnit<L>[] = [];
  const taken = new Set<number>();
  const hinted = new Set(hints);
  let slots = maxChunks;
  let left = tokenBudget;
  let wasCut = false;

  /** Returns true if the unit is selected. */
  const take = async (at: number): Promise<boolean> => {
    if (taken.has(at)) return true;
    const unit = units[at] as Unit;
    if (!unit.isGuaranteed && slots === 0) return false;
    const content = await load(unit);
    if (content === undefined) return false;
    if (!unit.isGuaranteed) {
      if (content.tokens > left) {
        wasCut = true;
        return false;
      }
      slots -= 1;
    }
    left -= content.tokens;
    taken.add(at);
    selected.push({ unit, content, score: hinted.has(unit.name) ? 1 : belowOne(scores[at] ?? 0) });
    return true;
  };

  const places = [...units.keys()];
  const guaranteed = places.filter((at) => units[at]?.isGuaranteed);
  for (const at of guaranteed) if (units[at]?.isPrepended) await take(at);
  const placeOf = new Map(units.map(({ name }, at) => [name, at]));
  const missedHints: string[] = [];
  for (const hint of hinted) {
    const at = placeOf.get(hint);
    if (at === undefined || !(await take(at))) missedHints.push(hint);
  }
  for (const at of byScore(places, scores)) {
    if (slots === 0) break;
    const unit = units[at] as Unit;
    if (!unit.isGuaranteed && !hinted.has(unit.name)) await take(at);
  }
  for (const at of guaranteed) await take(at);
  return { selected, totalTokens: tokenBudget - left, truncated: wasCut || left < 0, missedHints };
};

/** Sorts by score. Equal scores keep the order of the manifest. */
const byScore = (places: readonly number[], scores: readonly number[]): number[] =>
  places.filter((at) => (scores[at] ?? 0) > 0).sort((a, b) => (scores[b] as number) - (scores[a] as number));

/** Maps unbounded BM25 scores to values below 1, the score of a hint. Keeps their order. */
const belowOne = (score: number): number => score / (1 + score);
