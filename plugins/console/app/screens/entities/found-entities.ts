import type { Fact } from '../../../../../client/client.ts';

/** An entity in a list of facts, with the number of its facts and the first one. */
export interface FoundEntity {
  readonly uri: string;
  readonly count: number;
  readonly fact: Fact;
}

/** The subjects of the facts and the entities that they refer to, in the order of the facts. */
export const entitiesIn = (facts: readonly Fact[]): readonly FoundEntity[] => foundBy(facts, namesIn);

/** The subjects of the facts alone. */
export const subjectsOf = (facts: readonly Fact[]): readonly FoundEntity[] =>
  foundBy(facts, ({ entity }) => new Set([entity]));

const foundBy = (facts: readonly Fact[], names: (fact: Fact) => ReadonlySet<string>): readonly FoundEntity[] => {
  const found = new Map<string, FoundEntity>();
  for (const fact of facts) {
    for (const uri of names(fact)) {
      const known = found.get(uri);
      found.set(uri, known === undefined ? { uri, count: 1, fact } : { ...known, count: known.count + 1 });
    }
  }
  return [...found.values()];
};

const namesIn = ({ entity, value: { type, v } }: Fact): ReadonlySet<string> =>
  new Set(type === 'ref' && typeof v === 'string' ? [entity, v] : [entity]);
