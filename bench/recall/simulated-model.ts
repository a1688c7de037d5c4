import { createHash } from 'node:crypto';
import { rowToFact } from '../row-to-fact.ts';
import type { BenchModel } from './bench-embedder.ts';
import type { Memory } from './read-corpus.ts';

const DIMENSIONS = 768;
/**
 * The length of the noise in the vector of a question. Its similarity to an answer is then about 0.24, or 6.5 standard
 * deviations.
 */
const NOISE = 4;
const SEEN_CHARACTERS = 1_000;

/**
 * Simulates a strong model that knows the answers. Rows have random directions. The vector of a question is the mean of
 * its answers, plus noise.
 */
export const simulatedModel = ({ rows, queries }: Memory): BenchModel => {
  const textOf = new Map(rows.map((row) => [row.id, rowToFact(row).body.value.v]));
  const goldOf = new Map(queries.map(({ query, gold }) => [query, Object.keys(gold)]));
  const embed = (text: string): number[] => {
    const gold = goldOf.get(text);
    if (gold === undefined) return directionOf(valueIn(text));
    const sum = directionOf(`noise ${text}`).map((component) => component * NOISE);
    for (const id of gold) {
      directionOf(textOf.get(id) ?? id).forEach((component, at) => {
        sum[at] = (sum[at] as number) + component / Math.sqrt(gold.length);
      });
    }
    return unitVector(sum);
  };
  return { dimensions: DIMENSIONS, embed: async (texts) => texts.map(embed) };
};

/** Returns the value in the text `{entity} {relation} {value}` of a fact, because only the value counts here. */
const valueIn = (text: string): string => {
  const [, relation = '', ...value] = text.split(' ');
  return relation.includes(':') ? value.join(' ') : text;
};

/** Returns a pseudo-random direction that depends only on the text. */
const directionOf = (text: string): number[] => {
  const components: number[] = [];
  // Cuts the text, because the node cuts long texts before it embeds them.
  const key = text.slice(0, SEEN_CHARACTERS);
  for (let block = 0; components.length < DIMENSIONS; block += 1) {
    const bytes = createHash('sha512').update(`${block} ${key}`).digest();
    for (let at = 0; at < bytes.length; at += 2) components.push(bytes.readInt16LE(at) / 32_768);
  }
  return unitVector(components.slice(0, DIMENSIONS));
};

const unitVector = (components: readonly number[]): number[] => {
  const length = Math.sqrt(components.reduce((sum, component) => sum + component * component, 0));
  return components.map((component) => component / length);
};
