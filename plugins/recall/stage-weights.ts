import { refuseAll } from '../../kernel/internal-api.ts';
import { compileDeclared, memberRefusal, type ServiceError, schema } from '../../kernel/plugin-api.ts';
import { INVALID_WEIGHTS } from './recall-words.ts';

/** The weights of the parts of the fused score; they add up to 1. */
export interface StageWeights {
  readonly lexical: number;
  readonly vector: number;
  readonly graph: number;
  readonly sourceTrust: number;
  readonly recency: number;
}

export interface NeededStages {
  readonly lexical: boolean;
  readonly vector: boolean;
  readonly graph: boolean;
}

/**
 * Returns the stages to run. A stage whose score has no weight is skipped. Recency and trust need all stages, because
 * they rank the facts of every stage. The graph starts from the hits of words and vectors, with their weights, or with
 * equal weights if both are zero.
 */
export const neededStages = ({ lexical, vector, graph, sourceTrust, recency }: StageWeights): NeededStages => {
  const ranksAll = recency > 0 || sourceTrust > 0;
  const seedsGraph = lexical === 0 && vector === 0;
  return {
    lexical: ranksAll || seedsGraph || lexical > 0,
    vector: ranksAll || seedsGraph || vector > 0,
    graph: ranksAll || graph > 0,
  };
};

/** The weights of a request that gives none. */
export const DEFAULT_WEIGHTS: StageWeights = { lexical: 0.3, vector: 0.5, graph: 0.2, sourceTrust: 0, recency: 0 };

const SUM_TOLERANCE = 0.001;
/** The tolerance of the sum, because binary fractions are inexact: 0.9995 is not exactly 0.0005 away from 1. */
const ROUNDING = 1e-9;

/** Every spelling of the weights that clients use. */
export const WEIGHT_SPELLINGS: Readonly<Record<string, keyof StageWeights>> = {
  lexical: 'lexical',
  lex: 'lexical',
  vector: 'vector',
  vec: 'vector',
  semantic: 'vector',
  graph: 'graph',
  source_trust: 'sourceTrust',
  recency: 'recency',
};

const undeclaredIn = compileDeclared(
  schema<object>({ properties: Object.fromEntries(Object.keys(WEIGHT_SPELLINGS).map((name) => [name, {}])) }),
);

/** Throws `invalid_weights` (400). If any weight is given, a missing one is 0. */
export const readWeights = (given: unknown, path: string): StageWeights => {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) throw refuse(path, 'must be an object');
  const undeclared = undeclaredIn(given, path);
  if (undeclared.length > 0) throw refuseAll(undeclared, { code: INVALID_WEIGHTS });
  const weights: Record<keyof StageWeights, number> = { lexical: 0, vector: 0, graph: 0, sourceTrust: 0, recency: 0 };
  const seen = new Set<string>();
  for (const [name, value] of Object.entries(given)) {
    const weight = WEIGHT_SPELLINGS[name] as keyof StageWeights;
    if (value === null) continue;
    if (seen.has(weight)) throw refuse(path, 'gives one weight twice');
    if (typeof value !== 'number' || !(value >= 0 && value <= 1)) throw refuse(path, 'must hold numbers from 0 to 1');
    seen.add(weight);
    weights[weight] = value;
  }
  const sum = Object.values(weights).reduce((total, weight) => total + weight, 0);
  if (Math.abs(sum - 1) > SUM_TOLERANCE + ROUNDING) throw refuse(path, `must add up to 1 within ${SUM_TOLERANCE}`);
  return weights;
};

const refuse = (path: string, problem: string): ServiceError => memberRefusal(path, problem, INVALID_WEIGHTS);
