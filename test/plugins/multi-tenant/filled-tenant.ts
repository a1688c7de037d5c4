import type { TestReply } from '../../kit/test-request.ts';
import { hideFacts } from '../gardens/hidden-kinds.ts';

/** A request by the tenant's administrator, with its expected status. */
export type Ask = (
  status: number,
  method: string,
  path: string,
  body?: unknown,
  headers?: object,
) => Promise<TestReply>;

/** Ids of the objects in a tenant. */
export interface Filled {
  readonly factId: string;
  readonly cid: string;
  readonly conflictId: string;
  readonly gardenId: string;
  readonly quarantinedId: string;
  readonly keyId: string;
  readonly agentKeyId: string;
  readonly tokenId: string;
  readonly tokenJson: string;
  readonly subscriptionId: string;
  readonly tombstoneId: string;
  readonly auditToken: string;
}

const TARGET = 'svc://localhost/project/atlas';

/** Fills a tenant with every kind of object that routes can make. Each text contains `word`. */
export const fillTenant = async (ask: Ask, word: string): Promise<Filled> => {
  const fact = (members: object = {}, headers?: object) =>
    ask(
      201,
      'POST',
      '/v1/facts',
      {
        entity: 'user:alice',
        relation: 'memory:role',
        value: { type: 'string', v: word },
        source: 'agent:s',
        scope: 'company',
        ...members,
      },
      headers,
    );
  const first = await fact({}, { 'Idempotency-Key': 'once' });
  await fact({ value: { type: 'string', v: `${word} again` } }, { 'Svc-Session': 'voyage' });
  await fact({ entity: TARGET, relation: 'rel:knows', value: { type: 'ref', v: `user:${word}` } });
  await fact({ entity: 'doc:sum', value: { type: 'text', v: `sum of ${word}` }, derived_from: [first.body.cid] });
  const conflicts = await ask(200, 'GET', '/v1/conflicts?status=all');
  const garden = await ask(201, 'POST', '/v1/gardens', { slug: 'ward', name: word, quarantine: true });
  const held = await fact({ entity: 'user:held', garden_id: 'ward' });
  const key = await ask(201, 'POST', '/v1/auth/keys', {
    raw_key: `${word}-key`.padEnd(40, 'x'),
    entity_uri: 'agent:second',
    description: word,
  });
  const agentKey = await ask(201, 'POST', '/v1/auth/agent-keys', {
    public_key: Buffer.alloc(32, word.length).toString('base64url'),
    description: word,
  });
  const me = (await ask(200, 'GET', '/v1/me')).body.entity_uri;
  const token = await ask(201, 'POST', '/v1/federation/capability-tokens', {
    issuer: me,
    subject: me,
    verb: 'subscribe',
    object: TARGET,
  });
  const subscription = await ask(
    201,
    'POST',
    '/v1/subscriptions',
    { target: TARGET, on_change: 'webhook', webhook_url: `https://93.184.216.34/${word}` },
    { 'X-Svc-Capability': token.body.token_json },
  );
  await fact({ entity: TARGET, relation: 'memory:status', value: { type: 'text', v: `${word} is green` } });
  const auditToken = await publishInstructions(ask, word);
  await ask(200, 'GET', '/v1/cards/user:alice?scope=company&refresh=true');
  await ask(200, 'POST', '/v1/recall', { query: word, token_budget: 1_000 });
  const tombstone = await ask(201, 'POST', '/v1/tombstones', { entity_uri: 'user:gone', reason: word });
  return {
    factId: first.body.id,
    cid: first.body.cid,
    conflictId: conflicts.body.conflicts[0].conflict_id,
    gardenId: garden.body.id,
    quarantinedId: held.body.id,
    keyId: key.body.id,
    agentKeyId: agentKey.body.id,
    tokenId: token.body.token_id,
    tokenJson: token.body.token_json,
    subscriptionId: subscription.body.id ?? subscription.body.subscription_id,
    tombstoneId: tombstone.body.id,
    auditToken,
  };
};

const publishInstructions = async (ask: Ask, word: string): Promise<string> => {
  const fact_uri = 'instruction:default/agent/a1/deploy/v1';
  await ask(201, 'POST', '/v1/facts', {
    entity: fact_uri,
    relation: 'instruction:content',
    value: { type: 'text', v: `deploy ${word}` },
    source: 'agent:s',
    scope: 'local',
  });
  const entry = { name: 'deploy', description: word, fact_uri, load_triggers: { intents: [word] }, token_estimate: 9 };
  await ask(200, 'PUT', '/v1/agents/a1/instruction-manifest', { version: 'v1', entries: [entry] });
  const loaded = await ask(200, 'POST', '/v1/agents/a1/recall-instruction', { intent: word });
  return loaded.body.audit_token;
};

/** Asserts fifty facts of every kind in the tenant, once in its garden `herbs` and once outside all gardens. */
export const sayEverything = async (
  ask: (
    method: string,
    path: string,
    options: { body?: unknown; headers?: Record<string, string> },
  ) => Promise<TestReply>,
  told: readonly { id: string; cid: string }[],
): Promise<number> => {
  let count = 0;
  await ask('POST', '/v1/gardens', { body: { slug: 'herbs', name: 'Herbs' } });
  for (const isInGarden of [true, false]) {
    const send = (
      method: string,
      path: string,
      { body, headers = {} }: { body?: unknown; headers?: Record<string, string> },
    ) => {
      if (isInGarden || path !== '/v1/facts') return ask(method, path, { body, headers });
      const { garden_id: _, ...members } = body as Record<string, unknown>;
      return ask(method, path, { body: members, headers });
    };
    count += await hideFacts(
      {
        ask: (_actor, method, target, options = {}) => send(method, target, options as never),
        must: (_status, _actor, method, target, body) => send(method, target, body === undefined ? {} : { body }),
      },
      told,
    );
  }
  return count;
};
