/** Weights of a recall in hundredths, which add up to 100. */
export interface Weights {
  readonly lexical: number;
  readonly vector: number;
  readonly graph: number;
  readonly recency: number;
  readonly source_trust: number;
}

export type WeightName = keyof Weights;

export const WEIGHT_NAMES: readonly WeightName[] = ['lexical', 'vector', 'graph', 'recency', 'source_trust'];

/** Stages that find facts; the other weights only rank the found ones. */
const STAGES = ['lexical', 'vector', 'graph'] as const;

export const USUAL_WEIGHTS: Weights = { lexical: 30, vector: 50, graph: 20, recency: 0, source_trust: 0 };
const WHOLE = 100;

/** Reads `30-50-20-0-0` from the address. Other text means the defaults. */
export const readWeights = (text: string | undefined): Weights => {
  const numbers = (text ?? '').split('-').map(Number);
  const isFit =
    numbers.length === WEIGHT_NAMES.length &&
    numbers.every((each) => Number.isInteger(each) && each >= 0) &&
    numbers.reduce((sum, each) => sum + each, 0) === WHOLE;
  return isFit ? weightsFrom((_, at) => numbers[at] as number) : USUAL_WEIGHTS;
};

/** Formats the weights for the address; undefined for the defaults. */
export const spellWeights = (weights: Weights): string | undefined => {
  const text = WEIGHT_NAMES.map((name) => weights[name]).join('-');
  return text === WEIGHT_NAMES.map((name) => USUAL_WEIGHTS[name]).join('-') ? undefined : text;
};

/** The non-zero weights as shares of 1, for the node. */
export const sharesOf = (weights: Weights): Partial<Record<WeightName, number>> =>
  Object.fromEntries(
    WEIGHT_NAMES.flatMap((name) => (weights[name] === 0 ? [] : [[name, weights[name] / WHOLE] as const])),
  );

/** Moves one weight. The others share the rest in their proportions. */
export const moveWeight = (weights: Weights, moved: WeightName, to: number): Weights => {
  const value = Math.min(WHOLE, Math.max(0, Math.round(to)));
  const others = WEIGHT_NAMES.filter((name) => name !== moved);
  const left = WHOLE - value;
  const sum = others.reduce((all, name) => all + weights[name], 0);
  // If the others are zero, the first other stage takes the rest.
  const heir = STAGES.find((name) => name !== moved) as WeightName;
  const given = weightsFrom((name) => {
    if (name === moved) return value;
    if (sum === 0) return name === heir ? left : 0;
    return Math.floor((weights[name] * left) / sum);
  });
  // The largest weight takes the hundredths left by rounding.
  const over = WHOLE - WEIGHT_NAMES.reduce((all, name) => all + given[name], 0);
  const largest = others.reduce((best, name) => (weights[name] > weights[best] ? name : best));
  return over === 0 ? given : { ...given, [largest]: given[largest] + over };
};

const weightsFrom = (numberOf: (name: WeightName, at: number) => number): Weights =>
  Object.fromEntries(WEIGHT_NAMES.map((name, at) => [name, numberOf(name, at)])) as unknown as Weights;
