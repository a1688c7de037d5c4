import { spelledNumber } from '../../../kernel/internal-api.ts';
import type { AskNode } from '../ask-node.ts';
import { ask, type JsonObject, RefusedQuestion } from '../refused-question.ts';

/** A live fact of the same triple and place with another value. */
export interface Rival {
  readonly id: string;
  readonly type: string;
  readonly v: unknown;
}

/** A fact of the same triple and place whose value has another type and the same spelling. */
export interface SameSpelling extends JsonObject {
  readonly id: string;
  readonly type: string;
}

/** The maximum number of rivals that are compared, newest first. */
const MOST_RIVALS = 100;

/** Returns the rivals of a stored fact. A caller who may not read them gets none. */
export const rivalsOf = async (fact: JsonObject, node: AskNode): Promise<readonly Rival[]> => {
  if (fact['contradicted'] !== true || !node.serves('GET /v1/facts')) return [];
  const { entity, relation, scope, garden_id } = fact as Readonly<Record<string, string>>;
  const query = { entity, relation, scope, garden_id, include_contradicted: true, limit: MOST_RIVALS };
  try {
    const { facts } = await ask(node, { route: 'GET /v1/facts', query });
    return (facts as readonly JsonObject[])
      .map((rival) => ({ id: String(rival['id']), ...valueIn(rival) }))
      .filter(({ id, type, v }) => id !== fact['id'] && !isSame({ type, v }, valueIn(fact)));
  } catch (error) {
    if (error instanceof RefusedQuestion) return [];
    throw error;
  }
};

/**
 * Returns the rivals with the same text in another type, such as `8443` and `"8443"`. They contradict the fact, but
 * never on purpose.
 */
export const sameSpelling = (fact: JsonObject, rivals: readonly Rival[]): readonly SameSpelling[] => {
  const own = valueIn(fact);
  return rivals
    .filter(({ type, v }) => type !== own.type && spelling(v) === spelling(own.v))
    .map(({ id, type }) => ({ id, type }));
};

type ShownValue = Pick<Rival, 'type' | 'v'>;

const valueIn = (fact: JsonObject) => fact['value'] as ShownValue;

const isSame = (one: ShownValue, other: ShownValue): boolean =>
  one.type === other.type && spelling(one.v) === spelling(other.v);

/** Returns one spelling for all forms of a number: `8443.0` equals `8443`. */
const spelling = (v: unknown): string => String(spelledNumber(String(v)) ?? v);

/** Returns the sentence that explains such a rival to a model. */
export const differentType = ({ id, type }: SameSpelling): string =>
  `Fact ${id} spells the same as ${type}, so the two contradict each other: use value_type ${type} if you mean that.`;
