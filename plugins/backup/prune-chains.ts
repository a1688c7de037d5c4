import type { ObjectStore } from '../../kernel/internal-api.ts';
import { type SentChain, sentChains, startOfChain } from './increment-chains.ts';

const DAY_MS = 86_400_000;

export interface ChainPrune {
  /** The number of newest days whose chains stay. */
  readonly days: number;
  /** Ends of erasures. With these, chains that began before one of them go, and no others. */
  readonly erasedAt?: readonly number[] | undefined;
  readonly isTrial?: boolean;
}

/** Removes chains from a target, each with its base. Returns their names, and those that a lock keeps there. */
export const pruneChains = async (
  target: ObjectStore,
  { days, erasedAt, isTrial = false }: ChainPrune,
): Promise<Record<'removed' | 'locked', string[]>> => {
  const chains = await sentChains(target);
  const gone = erasedAt === undefined ? tooOld(chains, days) : chains.filter((chain) => isOlder(chain, erasedAt));
  const result: Record<'removed' | 'locked', string[]> = { removed: [], locked: [] };
  for (const chain of gone) {
    const isGone = isTrial ? !(await isLocked(target, chain)) : await removeChain(target, chain);
    result[isGone ? 'removed' : 'locked'].push(chain.name);
  }
  return result;
};

/** Returns true if the chain began before one of these erasures, so that it may hold erased facts. */
export const isOlder = ({ name }: SentChain, erasedAt: readonly number[]): boolean =>
  erasedAt.some((ms) => ms >= startOfChain(name));

/**
 * Chains count by the day on which they begin. Clear ones take no place of sealed ones, because they may be made up.
 */
const tooOld = (chains: readonly SentChain[], days: number): SentChain[] =>
  [true, false].flatMap((isClear) => {
    const some = chains.filter((chain) => chain.isClear === isClear);
    const staying = new Set([...new Set(some.map(dayOf))].slice(0, days));
    return some.filter((chain) => !staying.has(dayOf(chain)));
  });

const dayOf = ({ name }: SentChain): number => Math.floor(startOfChain(name) / DAY_MS);

const isLocked = async (target: ObjectStore, { name, increments }: SentChain): Promise<boolean> => {
  for (const increment of increments) if ((await target.lockOf(`${name}/${increment.name}`)) !== null) return true;
  return false;
};

/** Removes the last increment first, so that what an interrupted removal leaves is a chain still. */
const removeChain = async (target: ObjectStore, { name, increments }: SentChain): Promise<boolean> => {
  try {
    for (const increment of increments.toReversed()) await target.remove(`${name}/${increment.name}`);
    return true;
  } catch (error) {
    if ((error as { readonly code?: unknown }).code === 'conflict') return false;
    throw error;
  }
};
