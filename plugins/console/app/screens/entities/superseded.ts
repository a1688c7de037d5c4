import type { Fact } from '../../../../../client/client.ts';
import { groupBy } from '../../kit/group-by.ts';

/**
 * Ids of the facts that were settled otherwise, which no member of a fact says. Live facts that differ are marked as
 * contradicted, so that one without the mark, beside a newer one that says otherwise, is live no longer.
 */
export const supersededIn = (facts: readonly Fact[]): ReadonlySet<string> => {
  const places = groupBy(facts, ({ relation, scope, garden_id: garden }) => JSON.stringify([relation, scope, garden]));
  const found = new Set<string>();
  for (const place of places.values()) {
    const [newest] = place.filter(({ confidence }) => confidence > 0).sort((a, b) => compareStamps(b.hlc, a.hlc));
    if (newest === undefined) continue;
    for (const fact of place) {
      if (!fact.contradicted && fact.confidence > 0 && spoken(fact) !== spoken(newest)) found.add(fact.id);
    }
  }
  return found;
};

/** Equal for values that the node takes for the same. */
const spoken = ({ value: { type, v } }: Fact): string => {
  if (type === 'ref') return `ref ${String(v).toLowerCase()}`;
  return type === 'datetime' ? `datetime ${Date.parse(String(v))}` : JSON.stringify([type, v]);
};

/** Two numbers each, which no comparison of texts gets right. */
const compareStamps = (a: string, b: string): number => {
  const [wallA = 0, countA = 0] = a.split('.').map(Number);
  const [wallB = 0, countB = 0] = b.split('.').map(Number);
  return wallA - wallB || countA - countB;
};
