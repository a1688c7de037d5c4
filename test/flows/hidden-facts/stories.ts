import fc from 'fast-check';
import { ENTOMBED, HIDDEN_PLACES, OUR_GARDEN } from './world.ts';

/** An assertion in a generated story; the caller of the property may or may not see it. */
export interface Op {
  readonly isHidden: boolean;
  readonly place: string;
  readonly entity: string;
  readonly relation: string;
  /** The text of the value, unless the fact refers to an entity. */
  readonly text: string;
  readonly ref: string | null;
  readonly confidence: number;
  readonly session: string | null;
}

export const ENTITIES = ['user:a', 'user:b', 'user:c', 'user:d'] as const;
export const WORDS = ['harbour', 'lantern', 'orchard', 'violin', 'glacier'] as const;
const VISIBLE_PLACES = ['local', 'local', 'team', OUR_GARDEN];

/** A fact without special properties. */
export const FORMS: { readonly plain: Op } = {
  plain: {
    isHidden: false,
    place: 'local',
    entity: 'user:a',
    relation: 'memory:note',
    text: 'quiet',
    ref: null,
    confidence: 1,
    session: null,
  },
};

const content = {
  entity: fc.constantFrom(...ENTITIES),
  relation: fc.constantFrom('memory:note', 'memory:mood'),
  text: fc.array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 5 }).map((words) => words.join(' ')),
  ref: fc.oneof({ weight: 3, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: fc.constantFrom(...ENTITIES) }),
  confidence: fc.constantFrom(0, 0.05, 0.6, 1, 1, 1),
  session: fc.constantFrom(null, 's1', 's1', 's2'),
};
const visible = fc.record({ ...content, isHidden: fc.constant(false), place: fc.constantFrom(...VISIBLE_PLACES) });
const hidden = fc.record({
  ...content,
  isHidden: fc.constant(true),
  place: fc.constantFrom<string>(...HIDDEN_PLACES, ENTOMBED),
});

/** Generates facts in assertion order. The last one is visible, so a process that has it has all facts. */
export const stories: fc.Arbitrary<readonly Op[]> = fc
  .tuple(fc.array(fc.oneof(visible, hidden), { minLength: 10, maxLength: 40 }), visible)
  .map(([ops, last]) => [...ops, { ...last, ref: null, text: 'harbour at the end', confidence: 1, entity: 'user:z' }]);

export const recallBodies: fc.Arbitrary<object> = fc
  .record(
    {
      query: fc.array(fc.constantFrom(...WORDS, 'violn', 'note', 'user:b'), { minLength: 1, maxLength: 4 }),
      entity: fc.constantFrom(...ENTITIES),
      relation: fc.constantFrom('memory:note'),
      scope: fc.constantFrom('global', 'local', OUR_GARDEN),
      token_budget: fc.constantFrom(12, 60, 2_000),
      depth: fc.constantFrom(0, 1, 2),
      weights: fc.constantFrom({ lexical: 1 }, { vector: 1 }, { graph: 1 }, { lexical: 0.5, recency: 0.5 }),
      lambda_mmr: fc.constantFrom(0, 0.7, 1),
      min_confidence: fc.constantFrom(0, 0.5),
      include_contradicted: fc.boolean(),
      limit: fc.constantFrom(1, 3, 100),
      force_refresh: fc.boolean(),
    },
    { requiredKeys: ['token_budget', 'query'] },
  )
  .map(({ query, ...others }) => ({ ...others, query: query.join(' ') }));
