import type { TestNode } from '../kit/start-test-node.ts';
import type { TestReply } from '../kit/test-request.ts';

/** What nodes of the version with several rows a fact did, one after another on one store. */

/** Starts a node on the store of the story, without one of the plugins. */
export type StartNode = (switchedOff?: string) => Promise<TestNode>;

/** Brings facts of another node, as an import does. */
export type ImportFacts = (node: TestNode) => Promise<void>;

export interface StoryKeys {
  readonly admin: string;
  readonly one: string;
  readonly two: string;
  readonly reader: string;
}

const HOUR_MS = 3_600_000;

/** All that the audit log of this store says follows from its facts, too. */
export const tellPlainStory = async (start: StartNode): Promise<StoryKeys> => {
  const first = await start();
  const keys = await addKeys(first);
  await inGoodHealth(new Teller(first), keys);
  await first.stop();
  for (const plugin of ['billing', 'fact-chain']) await without(plugin, start, keys);
  const later = await start();
  await afterwards(new Teller(later), keys);
  await later.stop();
  // Facts at the end of the feed have no link yet.
  await without('fact-chain', start, keys);
  return keys;
};

/** Facts of this store came without an entry of their own, and from before the entries beside them. */
export const tellPatchyStory = async (start: StartNode, importFacts: ImportFacts): Promise<StoryKeys> => {
  const first = await start();
  const keys = await addKeys(first);
  await first.stop();
  await without('audit', start, keys);
  const second = await start();
  await inGoodHealth(new Teller(second), keys);
  await second.stop();
  await without('audit', start, keys);
  const later = await start();
  later.clock.setNowMs(later.clock.nowMs() - HOUR_MS);
  await afterwards(new Teller(later), keys);
  await importFacts(later);
  await later.stop();
  return keys;
};

const addKeys = async (node: TestNode): Promise<StoryKeys> => ({
  admin: await node.addKey({ entityUri: 'agent:admin', permissions: ['read', 'write', 'admin', 'audit.read'] }),
  one: await node.addKey({ entityUri: 'agent:one' }),
  two: await node.addKey({ entityUri: 'Agent:Two' }),
  reader: await node.addKey({ entityUri: 'agent:reader', permissions: ['read'] }),
});

let gardens = 0;

/** Starts a node without a plugin, which knows nothing of what happens on it. */
const without = async (plugin: string, start: StartNode, { one, two }: StoryKeys): Promise<void> => {
  const node = await start(plugin);
  const teller = new Teller(node);
  gardens += 1;
  const entity = `user:of-garden-${gardens}`;
  await teller.fact(one, { entity, value: { type: 'string', v: `while ${plugin} was off` } });
  await teller.call(201, two, '/v1/gardens', { slug: `garden-${gardens}`, name: plugin });
  await teller.fact(two, { entity, value: { type: 'string', v: 'something else' } });
  await teller.fact(one, { entity, relation: 'rel:knows', value: { type: 'ref', v: NOOR } });
  await node.stop();
};

/** Lets time pass between requests, and refuses replies that the story does not expect. */
class Teller {
  readonly #node: TestNode;

  constructor(node: TestNode) {
    this.#node = node;
  }

  async call(status: number, key: string, target: string, body: unknown, method = 'POST'): Promise<TestReply['body']> {
    await this.#node.clock.advance(7);
    const reply = await this.#node.request(method, target, { key, ...(body === undefined ? {} : { body }) });
    if (reply.status !== status) throw new Error(`${method} ${target}: ${reply.status} ${reply.text}`);
    return reply.body;
  }

  async fact(key: string, body: Readonly<Record<string, unknown>>): Promise<Readonly<Record<string, string>>> {
    const value = { type: 'string', v: 'archivist' };
    return this.call(201, key, '/v1/facts', { relation: 'memory:role', source: 'agent:one', value, ...body });
  }
}

const NOOR = 'svc://alpha.example/user/noor';
const ATLAS = 'svc://alpha.example/project/atlas';

const inGoodHealth = async (teller: Teller, { admin, one, two }: StoryKeys): Promise<void> => {
  await teller.call(201, admin, '/v1/auth/keys', {
    raw_key: 'a-key-that-somebody-chose-for-herself-1',
    entity_uri: 'agent:chosen',
  });
  const role = await teller.fact(one, { entity: NOOR });
  await teller.fact(one, { entity: NOOR });
  await teller.fact(two, { entity: NOOR, value: { type: 'string', v: 'pilot' }, source: 'agent:Two', confidence: 0.7 });
  await teller.fact(one, { entity: 'User:Alice ', relation: 'Memory:Role', timestamp: '2026-03-02T10:00:00.2+01:00' });
  await teller.fact(two, {
    entity: ATLAS,
    relation: 'rel:owner',
    value: { type: 'ref', v: NOOR },
    valid_until: '2027-01-01T00:00:00Z',
    scope: 'company',
  });
  await teller.fact(one, { entity: ATLAS, value: { type: 'number', v: 0.1 + 0.2 }, derived_from: [role['cid']] });
  await teller.fact(one, { entity: ATLAS, value: { type: 'boolean', v: true }, relation: 'memory:done' });
  await teller.fact(one, { entity: ATLAS, value: { type: 'null', v: null }, relation: 'memory:empty' });
  await teller.call(200, one, '/v1/facts/batch', [
    { entity: 'user:bob', relation: 'memory:role', value: { type: 'string', v: 'baker' }, source: 'agent:one' },
    {
      entity: 'user:bob',
      relation: 'memory:role',
      value: { type: 'string', v: 'e\u0301\u2028"\\' },
      source: 'agent:one',
    },
    {
      entity: 'user:bob',
      relation: 'memory:role',
      value: { type: 'string', v: 'x' },
      source: 'agent:one',
      confidence: 2,
    },
  ]);
  await teller.fact(two, { entity: 'user:carol', source: 'agent:Two' });
  await teller.fact(two, { entity: 'user:carol', source: 'agent:Two', confidence: 0 });
  const short = await teller.fact(one, { entity: 'user:dan' });
  await teller.fact(one, {
    entity: short['id'] ?? '',
    relation: 'svc:ttl',
    value: { type: 'datetime', v: '2026-03-02T09:00:01Z' },
  });
  const garden = await teller.call(201, one, '/v1/gardens', { slug: 'herbs', name: 'Herbs', scope: 'team' });
  await teller.call(201, one, '/v1/gardens/herbs/members', { entity_uri: 'Agent:Two', role: 'writer' });
  await teller.fact(two, { entity: NOOR, scope: 'team', garden_id: garden.id, value: { type: 'text', v: 'sage' } });
  await teller.call(403, two, '/v1/gardens/herbs/members', { entity_uri: 'agent:reader' });
  const { conflicts } = await teller.call(200, one, '/v1/conflicts', undefined, 'GET');
  await teller.call(200, one, `/v1/conflicts/${conflicts[0].conflict_id}/resolve`, {
    winning_fact_id: conflicts[0].members[0],
    resolution_note: 'the newer one',
  });
  await teller.call(200, one, `/v1/cards/${NOOR}`, undefined, 'GET');
  await teller.call(200, admin, '/v1/audit', undefined, 'GET');
};

const afterwards = async (teller: Teller, { admin, one, two }: StoryKeys): Promise<void> => {
  await teller.fact(one, { entity: 'user:early', scope: 'public' });
  await teller.call(201, admin, '/v1/auth/keys', {
    raw_key: 'a-key-that-somebody-chose-for-herself-2',
    entity_uri: 'agent:later',
    permissions: ['read'],
  });
  await teller.fact(two, { entity: NOOR, relation: 'memory:likes', value: { type: 'text', v: 'bread and butter' } });
  await teller.fact(two, { entity: ATLAS, relation: 'rel:owner', scope: 'company', confidence: 0 });
};
