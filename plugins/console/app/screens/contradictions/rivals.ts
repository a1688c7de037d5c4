import type { Conflict, Fact, FactClient } from '../../../../../client/client.ts';

/** The number of rivals loaded at first: two come with the contradiction, and the others one by one. */
export const RIVALS_SHOWN = 12;
const AT_ONCE = 2;

/** The facts of a contradiction, newest first, without those that are hidden by now. */
export const readRivals = async (
  client: FactClient,
  conflict: Conflict,
  { limit, signal }: { readonly limit: number; readonly signal: AbortSignal },
): Promise<readonly Fact[]> => {
  const known = new Map([conflict.fact_a, conflict.fact_b].map((fact) => [fact.id, fact]));
  const wanted = [...known.keys(), ...conflict.members.filter((id) => !known.has(id))].slice(0, limit);
  const waiting = wanted.filter((id) => !known.has(id));
  const readNext = async (): Promise<void> => {
    for (let id = waiting.shift(); id !== undefined; id = waiting.shift()) {
      try {
        known.set(id, await client.fact(id, { signal }));
      } catch (error) {
        if (signal.aborted) throw error;
      }
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, readNext));
  return [...known.values()].sort((one, other) => compareStamps(other.hlc, one.hlc));
};

/** Returns the fact that wins while the contradiction is open: highest confidence, then newest. */
export const winnerOf = (rivals: readonly Fact[]): Fact | undefined =>
  rivals
    .filter(({ contradicted }) => contradicted)
    .reduce<Fact | undefined>((best, fact) => {
      if (best === undefined || fact.confidence > best.confidence) return fact;
      if (fact.confidence < best.confidence) return best;
      return compareStamps(fact.hlc, best.hlc) > 0 ? fact : best;
    }, undefined);

/** True if the first fact was stored after the second. */
export const isNewer = (one: Fact, other: Fact): boolean => compareStamps(one.hlc, other.hlc) > 0;

/** Compares stamps as two numbers with a dot between them, because a comparison of their texts would be wrong. */
const compareStamps = (one: string, other: string): number => {
  const [wall = 0, count = 0] = one.split('.').map(Number);
  const [otherWall = 0, otherCount = 0] = other.split('.').map(Number);
  return wall - otherWall || count - otherCount;
};
