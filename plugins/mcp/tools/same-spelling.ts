import { spelledNumber } from '../../../kernel/internal-api.ts';
import type { AskNode } from '../ask-node.ts';
import { ask, type JsonObject, RefusedQuestion } from '../refused-question.ts';

/** A fact of the same triple and place whose value has another type and the same spelling. */
export interface SameSpelling extends JsonObject {
  readonly id: string;
  readonly type: string;
}

/** The newest rivals that are compared. */
const MOST_RIVALS = 100;

/**
 * Returns the live rivals of a stored fact that say the same in another type: `8443` and `"8443"`. They contradict each
 * other, although nobody means that. A caller who may not read the rivals gets none.
 */
export const sameSpelling = async (fact: JsonObject, node: AskNode): Promise<readonly SameSpelling[]> => {
  if (fact['contradicted'] !== true || !node.serves('GET /v1/facts')) return [];
  const { entity, relation, scope, garden_id } = fact as Readonly<Record<string, string>>;
  const query = { entity, relation, scope, garden_id, include_contradicted: true, limit: MOST_RIVALS };
  const own = valueIn(fact);
  try {
    const { facts } = await ask(node, { route: 'GET /v1/facts', query });
    return (facts as readonly JsonObject[])
      .map((rival) => ({ id: String(rival['id']), ...valueIn(rival) }))
      .filter(({ type, v }) => type !== own.type && spelling(v) === spelling(own.v))
      .map(({ id, type }) => ({ id, type }));
  } catch (error) {
    if (error instanceof RefusedQuestion) return [];
    throw error;
  }
};

const valueIn = (fact: JsonObject) => fact['value'] as { readonly type: string; readonly v: unknown };

/** Numbers have one spelling: `8443.0` says what `8443` says. */
const spelling = (v: unknown): string => String(spelledNumber(String(v)) ?? v);

/** The sentence about such a rival. */
export const differentType = ({ id, type }: SameSpelling): string =>
  `Fact ${id} spells the same as ${type}, so the two contradict each other: use value_type ${type} if you mean that.`;
