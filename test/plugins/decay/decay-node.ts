import { expect } from 'chai';
import { startTestNode, type TestNode, type TestNodeOptions } from '../../kit/start-test-node.ts';
import type { TestReply } from '../../kit/test-request.ts';

type Members = Readonly<Record<string, unknown>>;

export const DECAY_PLUGINS = ['audit', 'conflicts', 'decay', 'facts', 'gardens', 'jobs', 'keys', 'namespaces'] as const;

export interface DecayNode extends TestNode {
  /** A key with permissions to read and write. */
  readonly key: string;
  readonly admin: string;
  /** Asserts a fact and returns it. */
  say(members?: Members, key?: string): Promise<TestReply['body']>;
  post(path: string, body: unknown, key?: string): Promise<TestReply>;
  /** Runs a sweep and returns the answer. */
  sweep(rules?: Members, key?: string): Promise<TestReply['body']>;
  /** Returns the entities of the facts in a default query. */
  shown(key?: string): Promise<readonly string[]>;
  ttls(): Promise<readonly TestReply['body'][]>;
}

export const startDecayNode = async (options: TestNodeOptions = {}): Promise<DecayNode> => {
  const node = await startTestNode({ plugins: DECAY_PLUGINS, ...options });
  const key = await node.addKey({ entityUri: 'agent:writer' });
  const admin = await node.addKey({ entityUri: 'agent:operator', permissions: ['read', 'write', 'admin'] });
  const post: DecayNode['post'] = (path, body, as = key) => node.request('POST', path, { key: as, body });
  let number = 0;
  return Object.assign(node, {
    key,
    admin,
    post,
    async say(members: Members = {}, as = key) {
      number += 1;
      const { status, body } = await post(
        '/v1/facts',
        {
          entity: `user:${number}`,
          relation: 'memory:role',
          value: { type: 'string', v: 'archivist' },
          source: 'agent:writer',
          scope: 'company',
          ...members,
        },
        as,
      );
      expect(status, JSON.stringify(body)).to.equal(201);
      return body;
    },
    async sweep(rules: Members = {}, as = key) {
      const { status, body } = await post('/v1/decay/sweep', rules, as);
      expect(status, JSON.stringify(body)).to.equal(200);
      return body;
    },
    async shown(as = key) {
      const { body } = await node.request('GET', '/v1/facts?limit=500', { key: as });
      return (body.facts as { entity: string }[]).map(({ entity }) => entity).sort();
    },
    async ttls() {
      const { body } = await node.request('GET', '/v1/facts?relation=svc:ttl&limit=500', { key: admin });
      return body.facts;
    },
  });
};
