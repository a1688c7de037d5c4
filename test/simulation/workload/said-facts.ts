import type { Scope } from '../../../kernel/plugin-api.ts';
import type { Dice } from '../world/dice.ts';
import type { Party } from '../world/party.ts';

/** The place of an assertion: a scope outside all gardens, or the garden of the node. */
export type Place = Scope | 'garden';

/** Matches the unique text of a secret fact, by which the fact is recognised anywhere. */
export const SECRET = /secret-(local|team|garden)-n\d+-\d+/;
export const COMPANY = /company-(n\d+)-\d+/g;

const ENTITIES = 7;
const RELATIONS = ['state:mood', 'state:place', 'rel:knows'];

/** Generates assertion bodies. It uses few triples, so that nodes contradict each other often. */
export interface FactSource {
  next(party: Party, place: Place, nowMs: number): Readonly<Record<string, unknown>>;
}

export const createFactSource = (dice: Dice): FactSource => {
  let count = 0;
  return {
    next(party, place, nowMs) {
      count += 1;
      const relation = dice.pick(RELATIONS);
      return {
        entity: `user:${dice.whole(1, ENTITIES)}`,
        relation,
        value: valueFor({ party, place, relation, count, dice }),
        source: `agent:${dice.pick(['scout', 'clerk'])}-${party.name}`,
        confidence: dice.pick([0.4, 0.7, 0.9, 1, 1]),
        scope: place === 'garden' ? 'company' : place,
        ...(place === 'garden' ? { garden_id: gardenOf(party) } : {}),
        ...(dice.comes(0.1) ? { valid_until: new Date(nowMs + dice.whole(5, 900) * 1_000).toISOString() } : {}),
      };
    },
  };
};

export const gardenOf = (party: Party): string => `plot-${party.name}`;

interface ValueParts {
  readonly party: Party;
  readonly place: Place;
  readonly relation: string;
  readonly count: number;
  readonly dice: Dice;
}

const valueFor = ({ party, place, relation, count, dice }: ValueParts) => {
  if (place === 'company') return { type: 'string', v: `company-${party.name}-${count}` };
  if (place !== 'public') return { type: 'string', v: `secret-${place}-${party.name}-${count}` };
  if (relation === 'rel:knows') return { type: 'ref', v: `user:${dice.whole(1, ENTITIES)}` };
  return dice.comes(0.3)
    ? { type: 'number', v: dice.whole(1, 4) }
    : { type: 'string', v: `said-${dice.comes(0.5) ? dice.whole(1, 3) : count}` };
};
