import { createPeerIdentity } from '../../kit/federation/peer-identity.ts';
import type { ServedNode } from '../../kit/start-served-node.ts';

const NODE_ID = 'svc://library.test';
const PEER_ID = 'svc://museum.test';
const identity = createPeerIdentity(NODE_ID, Date.now);

/** The settings of a node that has content for every screen. */
export const PICTURE_SETTINGS: Readonly<Record<string, string>> = {
  SVC_TOMBSTONES_ENABLED: 'true',
  SVC_MULTI_TENANT_ENABLED: 'true',
  SVC_WEBHOOK_ALLOW_PRIVATE: 'true',
  SVC_FEDERATION_ENABLED: 'true',
  SVC_FEDERATION_INSECURE: 'true',
  SVC_NODE_ID: NODE_ID,
  SVC_NODE_PRIVATE_KEY: identity.seed,
};

// biome-ignore lint/suspicious/noExplicitAny: the body of a reply has no type.
type Send = (method: string, path: string, body?: object) => Promise<any>;

/** Fills a node with the demonstration data, and returns addresses that show one item each. */
export const fillForPictures = async (served: ServedNode): Promise<Readonly<Record<string, string>>> => {
  const { exitCode, stderr } = await served.run(['demo', '--no-pause']);
  if (exitCode !== 0) throw new Error(stderr);
  const send: Send = async (method, path, body) => {
    const reply = await served.ask(method, path, body);
    if (reply.status >= 300) throw new Error(`${method} ${path}: ${JSON.stringify(reply.body)}`);
    return reply.body;
  };
  const { facts } = await send('GET', '/v1/facts?entity=demo:project:lantern&limit=1');
  await send('POST', '/v1/facts', {
    entity: 'demo:project:lantern',
    relation: 'memory:opening',
    value: { type: 'string', v: '1 July' },
    source: 'demo:agent:inbox',
    scope: 'team',
  });
  const { conflicts } = await send('GET', '/v1/conflicts?limit=1');
  await fillAccess(send);
  const { subscription, peer } = await fillExchange(send);
  await fillNode(send);
  return {
    'one-fact': `facts?id=${facts[0].id}`,
    'one-entity': 'entities?uri=demo:project:lantern',
    'one-contradiction': `contradictions?id=${conflicts[0].conflict_id}`,
    'one-recall': `recall?q=${encodeURIComponent('When does the guide open?')}`,
    'one-garden': 'gardens?garden=press-desk',
    'one-subscription': `subscriptions?id=${subscription}`,
    'one-manifest': 'instructions?agent=clerk',
    'one-peer': `peers?peer=${peer}`,
    'one-tenant': 'tenants?tenant=harbour',
    'one-erasure': 'erasure?entity=demo:user:guest',
  };
};

const say = (entity: string, relation: string, v: string, others: object = {}): object => ({
  entity,
  relation,
  value: { type: 'text', v },
  source: 'demo:agent:inbox',
  scope: 'company',
  confidence: 0.9,
  ...others,
});

/** Creates a garden with members and quarantine, keys and capability tokens. */
const fillAccess = async (send: Send): Promise<void> => {
  const garden = { name: 'Press desk', slug: 'press-desk', scope: 'team', quarantine: true };
  const { garden_id: id } = await send('POST', '/v1/gardens', { ...garden, description: 'What the press may be told' });
  await send('POST', '/v1/gardens/press-desk/members', { entity_uri: 'demo:user:ines', role: 'quarantine:moderator' });
  await send('POST', '/v1/gardens/press-desk/members', { entity_uri: 'demo:agent:inbox', role: 'writer' });
  const rumour = say('demo:project:lantern', 'memory:rumour', 'The tower opens at night', { scope: 'team' });
  await send('POST', '/v1/facts', { ...rumour, garden_id: id });
  const key = { raw_key: 'a-key-for-pictures-of-the-console', entity_uri: 'agent:admin', permissions: ['read'] };
  const soon = new Date(Date.now() + 7 * 86_400_000).toISOString();
  await send('POST', '/v1/auth/keys', { ...key, description: 'reads reports on the build server', expires_at: soon });
  for (const [verb, object] of [
    ['read', 'svc://facts/scope:company'],
    ['subscribe', 'demo:project:lantern'],
  ]) {
    const token = { issuer: 'agent:admin', subject: 'demo:agent:minutes', ttl_seconds: 86_400 };
    await send('POST', '/v1/federation/capability-tokens', { ...token, verb, object });
  }
};

/** Creates a subscription, a manifest and a peer. */
const fillExchange = async (send: Send): Promise<{ subscription: string; peer: string }> => {
  const tokenFor = { issuer: 'agent:admin', subject: 'agent:admin', verb: 'subscribe', ttl_seconds: 86_400 };
  const object = 'demo:project:lantern';
  const { token_json: token } = await send('POST', '/v1/federation/capability-tokens', { ...tokenFor, object });
  // This address has no listener, so deliveries fail, and the picture shows failed deliveries.
  const target = {
    target_type: 'entity',
    target: object,
    on_change: 'webhook',
    webhook_url: 'http://127.0.0.1:9/hook',
  };
  const made = await send('POST', '/v1/subscriptions', { ...target, capability_token: token });
  await send('POST', '/v1/facts', say(object, 'memory:weather', 'Fog until noon'));
  const text = 'instruction:default/agent/clerk/letters/v1';
  const told = { type: 'text', v: 'Begin each letter with a greeting.', interpret_as: 'instruction' };
  await send('POST', '/v1/facts', say(text, 'instruction:text', '', { value: told, source: 'agent:admin' }));
  const unit = { name: 'letters', description: 'How letters begin', fact_uri: text };
  const entries = [{ ...unit, load_triggers: { intents: ['write a letter'], keywords: ['greeting'] } }];
  await send('PUT', '/v1/agents/clerk/instruction-manifest', { version: 'v1', entries });
  const { peer_id: peer } = await send('POST', '/v1/federation/peers', identity.declare(PEER_ID));
  return { subscription: made.id, peer };
};

/** Creates a second tenant, a tombstone, and jobs. */
const fillNode = async (send: Send): Promise<void> => {
  const first_key = { raw_key: 'the-first-key-of-the-harbour-tenant', entity_uri: 'user:harbour' };
  await send('POST', '/v1/tenants', { id: 'harbour', name: 'Harbour office', first_key });
  await send('POST', '/v1/facts', say('demo:user:guest', 'memory:visited', 'on a Sunday'));
  await send('POST', '/v1/tombstones', { entity_uri: 'demo:user:guest', scope: '*', reason: 'asked for it' });
  for (const task of ['synthesis', 'lint']) await send('POST', `/v1/upkeep/${task}/run`, {});
};
