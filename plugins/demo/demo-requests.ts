import { acceptedReply, askServer, type CommandServer, queryOf, type ShownFact } from '../../kernel/command-api.ts';
import { type Clock, ServiceError } from '../../kernel/plugin-api.ts';
import { DEMO_ENTITIES, DEMO_FACTS, type DemoFact, GARDEN, SCOPE } from './demo-data.ts';

const DAY_MS = 86_400_000;

interface Target {
  readonly server: CommandServer;
  readonly clock: Clock;
}

export const assertionOf = ({ daysAgo, isPrivate, ...fact }: DemoFact, clock: Clock): object => ({
  ...fact,
  scope: SCOPE,
  timestamp: new Date(clock.nowMs() - daysAgo * DAY_MS).toISOString(),
  ...(isPrivate === true ? { garden_id: GARDEN.slug } : {}),
});

/** Creates the garden if it is missing. Returns false on a node without gardens. */
export const makeGarden = async ({ server }: Target): Promise<boolean> => {
  const body = Buffer.from(JSON.stringify(GARDEN));
  const headers = { 'content-type': 'application/json' };
  const reply = await server.send({ method: 'POST', path: '/v1/gardens', headers, body });
  const { status, document } = reply;
  if (status === 401) acceptedReply(reply);
  if (status === 404) return false;
  if (status < 300 || status === 409) return true;
  throw new ServiceError('validation', 'the node does not make the garden of the demonstration', {
    hint: typeof document['detail'] === 'string' ? document['detail'].slice(0, 300) : 'use the key of an administrator',
  });
};

/** Stores the missing facts: an assertion that repeats a live fact returns that fact. */
export const loadFacts = async (target: Target, withGarden: boolean): Promise<readonly ShownFact[]> => {
  const facts = DEMO_FACTS.filter(({ isPrivate }) => withGarden || isPrivate !== true);
  return assertAll(
    target.server,
    facts.map((fact) => assertionOf(fact, target.clock)),
  );
};

export interface StampedFact extends ShownFact {
  readonly hlc: string;
}

interface Verdict {
  readonly fact?: ShownFact;
  readonly error?: { readonly detail?: string };
}

const assertAll = async (server: CommandServer, bodies: readonly object[]): Promise<readonly ShownFact[]> => {
  const { document } = await askServer(server, { method: 'POST', path: '/v1/facts/batch', body: bodies });
  const verdicts = document['results'] as readonly Verdict[];
  const refused = verdicts.find(({ error }) => error !== undefined);
  if (refused === undefined) return verdicts.flatMap(({ fact }) => fact ?? []);
  throw new ServiceError('validation', `the node refuses facts of the demonstration: ${refused.error?.detail ?? ''}`, {
    hint: 'try it on a node with the usual settings, with the key of an administrator',
  });
};

/** Returns the live facts about an entity of the demonstration, with all sides of contradictions. */
export const liveFacts = async (
  { server }: Target,
  entity: string,
  relation?: string,
): Promise<readonly StampedFact[]> => {
  const query = queryOf({ entity, relation, include_contradicted: true, limit: 500 });
  const { document } = await askServer(server, { method: 'GET', path: `/v1/facts?${query}` });
  return (document['facts'] as readonly StampedFact[]).filter(({ confidence }) => confidence > 0);
};

/** Retracts every triple of the demonstration that has a live fact, and returns how many there were. */
export const retractAll = async (target: Target, source: string): Promise<number> => {
  const retractions = new Map<string, object>();
  for (const name of DEMO_ENTITIES) {
    for (const { entity, relation, scope, garden_id } of await liveFacts(target, name)) {
      const retraction = { entity, relation, scope, garden_id, source, confidence: 0, value: { type: 'null' } };
      retractions.set(JSON.stringify([entity, relation, scope, garden_id]), retraction);
    }
  }
  if (retractions.size > 0) await assertAll(target.server, [...retractions.values()]);
  return retractions.size;
};

export const ownEntity = async ({ server }: Target): Promise<string> =>
  String((await askServer(server, { method: 'GET', path: '/v1/me' })).document['entity_uri']);
