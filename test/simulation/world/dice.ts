import type { Random } from '../../../kernel/crypto/random.ts';
import { createSeededRandom } from '../../fakes/seeded-random.ts';

/** A random source; every part of the simulation has its own. */
export interface Dice {
  /** Returns a whole number from `least` to `most`, both included. */
  whole(least: number, most: number): number;
  /** Returns true with this probability. */
  comes(probability: number): boolean;
  pick<T>(from: readonly T[]): T;
  /** Returns a value with a probability proportional to its weight. */
  weighted<T>(from: readonly (readonly [weight: number, value: T])[]): T;
  readonly random: Random;
}

export const createDice = (seed: number): Dice => {
  const random = createSeededRandom(seed);
  // The first numbers are skipped, because similar seeds begin with similar numbers.
  for (let skipped = 0; skipped < 8; skipped += 1) random.fraction();
  const whole = (least: number, most: number): number => least + Math.floor(random.fraction() * (most - least + 1));
  return {
    whole,
    comes: (probability) => random.fraction() < probability,
    pick<T>(from: readonly T[]): T {
      if (from.length === 0) throw new Error('there is nothing to pick from');
      return from[whole(0, from.length - 1)] as T;
    },
    weighted<T>(from: readonly (readonly [number, T])[]): T {
      let left = random.fraction() * from.reduce((sum, [weight]) => sum + weight, 0);
      for (const [weight, value] of from) {
        left -= weight;
        if (left < 0) return value;
      }
      return (from.at(-1) as readonly [number, T])[1];
    },
    random,
  };
};

/** Returns a separate seed for each part of the simulation. */
export const seedFor = (seed: number, part: number): number =>
  (Math.imul(seed + 1, 0x9e3779b1) ^ (part * 0x85ebca6b)) >>> 0;
