import type { AskNode } from '../ask-node.ts';
import { DATA_NOTICE, factsIn, factView } from '../memory-data.ts';
import { ask, type JsonObject, RefusedQuestion } from '../refused-question.ts';
import type { ResourceDefinition } from '../resource-definition.ts';
import { beginning, completeFromConflicts, completeFromFacts } from './complete-values.ts';

const card: ResourceDefinition = {
  name: 'card',
  variable: 'entity',
  title: 'Memory card',
  description: 'What is known about an entity, in short, for each scope that has something',
  routes: ['GET /v1/cards/*entity_uri', 'GET /v1/facts'],
  async read(entity, node) {
    const { facts } = await ask(node, { route: 'GET /v1/facts', query: { entity, limit: 100 } });
    const scopes = new Set((facts as readonly JsonObject[]).map(({ scope }) => String(scope)));
    const cards: JsonObject[] = [];
    for (const scope of scopes) {
      const found = await ask(node, {
        route: 'GET /v1/cards/*entity_uri',
        params: { entity_uri: entity },
        query: { scope },
      });
      const { fact_hashes: _, card_stale: __, ...shown } = found;
      cards.push(shown);
    }
    return { notice: DATA_NOTICE, cards };
  },
  complete: (begun, node) => completeFromFacts('entity', begun, node),
};

const fact: ResourceDefinition = {
  name: 'fact',
  variable: 'id',
  title: 'Fact',
  description: 'One fact by its id or content id, in whatever state it is',
  routes: ['GET /v1/facts/:id'],
  read: async (id, node) => ({ notice: DATA_NOTICE, fact: factView(await readFact(id, node), node.nowMs()) }),
  complete: (begun, node) => completeFromFacts('id', begun, node),
};

const readFact = (id: string, node: AskNode): Promise<JsonObject> =>
  ask(node, { route: 'GET /v1/facts/:id', params: { id } });

/** The maximum number of facts that are shown of a conflict. */
const MOST_MEMBERS = 20;

const conflict: ResourceDefinition = {
  name: 'conflict',
  variable: 'id',
  title: 'Conflict',
  description: 'Facts that contradict each other, by the id of the conflict',
  routes: ['GET /v1/conflicts', 'GET /v1/facts', 'GET /v1/facts/:id'],
  // Reads a conflict through its system facts, which show the ids of its members only to callers who may see them.
  async read(id, node) {
    const document = await ask(node, { route: 'GET /v1/facts', query: { entity: id, include_contradicted: true } });
    const said = factsIn(document, node.nowMs());
    const of = (ending: string): readonly JsonObject[] =>
      said.filter(({ relation }) => String(relation).endsWith(`:conflict:${ending}`));
    const members = new Set(of('between').flatMap((between) => String(textOf(between)).split(' ')));
    if (members.size === 0) {
      throw new RefusedQuestion({ code: 'lookup', status: 404, detail: 'there is no such conflict' });
    }
    const facts: JsonObject[] = [];
    for (const member of [...members].slice(0, MOST_MEMBERS))
      facts.push(factView(await readFact(member, node), node.nowMs()));
    // The list is sorted newest first.
    const [status] = of('status');
    return { notice: DATA_NOTICE, conflict_id: id, status: status && textOf(status), facts };
  },
  complete: completeFromConflicts,
};

const textOf = ({ value }: JsonObject): unknown => (value as JsonObject)['v'];

/** The default intent. */
const ANY_INTENT = 'how to work';

const instructions: ResourceDefinition = {
  name: 'instructions',
  variable: 'agent',
  title: 'Instructions of an agent',
  description: 'Instructions from the manifest of an agent, which this node vouches for',
  routes: ['POST /v1/agents/:agent_id/recall-instruction'],
  async read(agent, node) {
    const { chunks, truncated } = await ask(node, {
      route: 'POST /v1/agents/:agent_id/recall-instruction',
      params: { agent_id: agent },
      body: { intent: ANY_INTENT },
    });
    return { instructions: chunks, truncated };
  },
  complete: async (begun, node) => beginning([node.caller.entityUri], begun),
};

export const MEMORY_RESOURCES: readonly ResourceDefinition[] = [card, fact, conflict, instructions];
