import type { Random } from '../../../kernel/crypto/random.ts';
import { createSeededRandom } from '../../fakes/seeded-random.ts';

/** Chance for what the world does; every part of the world has dice of its own. */
export interface Dice {
  /** Whole, from `least` to `most`, both included. */
  whole(least: number, most: number): number;
  /** True with this probability. */
  comes(probability: number): boolean;
  pick<T>(from: readonly T[]): T;
  /** The weights need not add up to anything. */
  weighted<T>(from: readonly (readonly [weight: number, value: T])[]): T;
  readonly random: Random;
}

export const createDice = (seed: number): Dice => {
  const random = createSeededRandom(seed);
  // Seeds that are close to one another begin alike.
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

/** Another seed for each part of the world. */
export const seedFor = (seed: number, part: number): number =>
  (Math.imul(seed + 1, 0x9e3779b1) ^ (part * 0x85ebca6b)) >>> 0;
