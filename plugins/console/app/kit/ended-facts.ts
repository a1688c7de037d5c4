import type { Fact } from '../../../../client/client.ts';
import { groupBy } from './group-by.ts';

/** The way in which a listed fact ended. */
export type Ended = 'settled' | 'retracted';

/**
 * Returns the ended facts of a list by id, because no member of a fact marks them. Live facts that differ are marked as
 * contradicted. So a fact without the mark, beside a newer one with another value, has ended. The list must hold all
 * facts of their places. Facts about the node itself are left out, because several of them may hold together.
 */
export const endedIn = (facts: readonly Fact[], ownPrefix: string, nowMs: number): ReadonlyMap<string, Ended> => {
  const judged = facts.filter(
    (fact) =>
      !fact.relation.startsWith(ownPrefix) &&
      !fact.entity.startsWith(ownPrefix) &&
      !hasExpired(fact, nowMs) &&
      !isToCome(fact, nowMs),
  );
  const found = new Map<string, Ended>();
  for (const place of groupBy(judged, placeOf).values()) {
    if (place.length < 2) continue;
    const newestFirst = [...place].sort((a, b) => compareStamps(b.hlc, a.hlc));
    const said = newestFirst.findIndex(isRetraction);
    const current = said < 0 ? newestFirst : newestFirst.slice(0, said);
    const before = said < 0 ? [] : newestFirst.slice(said + 1);
    for (const fact of before) if (!isRetraction(fact)) found.set(fact.id, 'retracted');
    const [newest] = current;
    for (const fact of current) {
      if (newest !== undefined && !fact.contradicted && spoken(fact) !== spoken(newest)) found.set(fact.id, 'settled');
    }
  }
  return found;
};

export const hasExpired = ({ valid_until: until }: Pick<Fact, 'valid_until'>, nowMs: number): boolean =>
  until !== null && Date.parse(until) <= nowMs;

/** Returns true for a fact that is valid only from a later instant on. */
export const isToCome = ({ valid_from: from }: Pick<Fact, 'valid_from'>, nowMs: number): boolean =>
  from !== undefined && Date.parse(from) > nowMs;

const isRetraction = ({ confidence }: Fact): boolean => confidence === 0;

const placeOf = ({ entity, relation, scope, garden_id: garden }: Fact): string =>
  JSON.stringify([entity, relation, scope, garden]);

/** Returns the same text for values that the node treats as equal. */
const spoken = ({ value: { type, v } }: Fact): string => {
  if (type === 'ref') return `ref ${String(v).toLowerCase()}`;
  return type === 'datetime' ? `datetime ${Date.parse(String(v))}` : JSON.stringify([type, v]);
};

/** Compares stamps as two numbers, because a comparison of their texts would be wrong. */
const compareStamps = (a: string, b: string): number => {
  const [wallA = 0, countA = 0] = a.split('.').map(Number);
  const [wallB = 0, countB = 0] = b.split('.').map(Number);
  return wallA - wallB || countA - countB;
};
