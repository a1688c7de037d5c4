import type { Fact, FactClient } from '../../../../../client/client.ts';

/** The maximum number of facts that one fact may end. */
export const MOST_ENDED = 100;

/** Returns the ids of the facts that a correction ends: the fact, and those in its place that it contradicts. */
export const endedBy = async (client: FactClient, fact: Fact): Promise<string[]> => {
  const { id, entity, relation, scope } = fact;
  if (!fact.contradicted) return [id];
  const query = { entity, relation, scope, include_contradicted: true, limit: MOST_ENDED };
  const { facts } = await client.call('GET /v1/facts', { query });
  const rivals = facts.filter((each) => each.contradicted && each.garden_id === fact.garden_id && each.id !== id);
  return [id, ...rivals.map((each) => each.id)].slice(0, MOST_ENDED);
};
