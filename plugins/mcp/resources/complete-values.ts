import { foldName } from '../../../kernel/internal-api.ts';
import type { AskNode } from '../ask-node.ts';
import { ask, type JsonObject } from '../refused-question.ts';

/** The number of newest facts from which a completion takes its values. */
const LOOKED_AT = 500;
const MOST_VALUES = 100;

/** Returns the distinct values with the given prefix among the newest visible facts. */
export const completeFromFacts = async (
  member: 'entity' | 'id',
  begun: string,
  node: AskNode,
): Promise<readonly string[]> => {
  const { facts } = await ask(node, { route: 'GET /v1/facts', query: { limit: LOOKED_AT, fields: member } });
  return beginning(
    (facts as readonly JsonObject[]).map((fact) => String(fact[member])),
    begun,
  );
};

/** Returns the ids of open conflicts with the given prefix. */
export const completeFromConflicts = async (begun: string, node: AskNode): Promise<readonly string[]> => {
  const { conflicts } = await ask(node, { route: 'GET /v1/conflicts', query: { limit: MOST_VALUES } });
  return beginning(
    (conflicts as readonly JsonObject[]).map((conflict) => String(conflict['conflict_id'])),
    begun,
  );
};

/** Returns the distinct values with the given prefix; their spellings may differ from it. */
export const beginning = (values: readonly string[], begun: string): readonly string[] => {
  const start = foldName(begun);
  return [...new Set(values)].filter((value) => foldName(value).startsWith(start)).slice(0, MOST_VALUES);
};
