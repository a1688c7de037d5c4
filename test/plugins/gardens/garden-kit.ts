import { expect } from 'chai';
import { startTestNode, type TestNode, type TestNodeOptions } from '../../kit/start-test-node.ts';
import type { RequestOptions, TestReply } from '../../kit/test-request.ts';

/** The callers of the garden tests; their names are their roles in the garden `herbs`. */
export const CAST = {
  founder: 'agent:founder',
  writer: 'agent:writer',
  reader: 'agent:reader',
  stranger: 'agent:stranger',
  operator: 'agent:operator',
} as const;
export type Actor = keyof typeof CAST;

export interface GardenFact {
  readonly id: string;
  readonly cid: string;
  readonly entity: string;
  readonly relation: string;
  readonly value: { readonly v: unknown };
  readonly garden_id: string | null;
  readonly confidence: number;
  readonly quarantine_status: string | null;
}

/** A node with the garden `herbs` of scope company, and keys of members and strangers. */
export interface GardenNode {
  readonly node: TestNode;
  readonly gardenId: string;
  ask(actor: Actor, method: string, target: string, options?: RequestOptions): Promise<TestReply>;
  /** Sends a request, and rejects if the reply has another status than the expected one. */
  must(status: number, actor: Actor, method: string, target: string, body?: unknown): Promise<TestReply>;
  say(actor: Actor, members?: Readonly<Record<string, unknown>>): Promise<GardenFact>;
  stop(): Promise<void>;
}

export const assertion = (members: Readonly<Record<string, unknown>> = {}) => ({
  entity: 'user:alice',
  relation: 'memory:role',
  value: { type: 'string', v: 'gardener' },
  source: 'agent:w1',
  scope: 'company',
  ...members,
});

export const startGardenNode = async (options: TestNodeOptions = {}): Promise<GardenNode> => {
  const node = await startTestNode(options);
  const keys = new Map<Actor, string>();
  for (const actor of Object.keys(CAST) as Actor[]) {
    const permissions = actor === 'operator' ? (['read', 'write', 'admin'] as const) : (['read', 'write'] as const);
    keys.set(actor, await node.addKey({ entityUri: CAST[actor], permissions }));
  }
  const ask: GardenNode['ask'] = (actor, method, target, given = {}) =>
    node.request(method, target, { key: keys.get(actor) ?? '', ...given });
  const must: GardenNode['must'] = async (status, actor, method, target, body) => {
    const reply = await ask(actor, method, target, body === undefined ? {} : { body });
    expect(reply.status, `${actor} ${method} ${target}: ${reply.text}`).to.equal(status);
    return reply;
  };
  const { body } = await must(201, 'founder', 'POST', '/v1/gardens', { slug: 'herbs', name: 'Herbs' });
  for (const role of ['writer', 'reader'] as const) {
    // Gives each member another join time, so that their order is defined.
    await node.clock.advance(1);
    await must(201, 'founder', 'POST', '/v1/gardens/herbs/members', { entity_uri: CAST[role], role });
  }
  return {
    node,
    gardenId: body.id,
    ask,
    must,
    say: async (actor, members = {}) => (await must(201, actor, 'POST', '/v1/facts', assertion(members))).body,
    stop: () => node.stop(),
  };
};
