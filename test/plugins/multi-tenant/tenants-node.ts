import { expect } from 'chai';
import { startTestNode, type TestNode, type TestNodeOptions } from '../../kit/start-test-node.ts';
import type { TestReply } from '../../kit/test-request.ts';

export const ADMIN_RIGHTS = ['read', 'write', 'admin', 'federate', 'audit.read'] as const;

/** Returns a long enough raw key that starts with the word. */
export const rawKey = (word: string): string => `${word}-`.padEnd(40, 'k');

/** A node with several tenants, and a key of its operator. */
export interface TenantsNode extends TestNode {
  readonly operator: string;
  /** Sends a request with the operator's key, or another one, and expects this status. */
  must(status: number, method: string, path: string, body?: unknown, key?: string): Promise<TestReply>;
  /** Makes a tenant and returns its first key. */
  create(id: string): Promise<string>;
  /** Stores a fact and returns its id. */
  say(key: string, entity: string, text: string): Promise<string>;
}

export const startTenantsNode = async (options: TestNodeOptions = {}): Promise<TenantsNode> => {
  const node = await startTestNode({ settings: { 'multi-tenant': { enabled: true } }, ...options });
  const operator = await node.addKey({ entityUri: 'agent:operator', permissions: ADMIN_RIGHTS });
  const must: TenantsNode['must'] = async (status, method, path, body, key = operator) => {
    const reply = await node.request(method, path, { key, ...(body === undefined ? {} : { body }) });
    expect(reply.status, `${method} ${path}: ${reply.text}`).to.equal(status);
    return reply;
  };
  return {
    ...node,
    operator,
    must,
    async create(id) {
      const raw_key = rawKey(id);
      await must(201, 'POST', '/v1/tenants', { id, first_key: { raw_key, entity_uri: 'agent:admin' } });
      return raw_key;
    },
    async say(key, entity, text) {
      const value = { type: 'text', v: text };
      const body = { entity, relation: 'memory:note', value, source: 'agent:s', scope: 'company', confidence: 0.9 };
      return (await must(201, 'POST', '/v1/facts', body, key)).body.id;
    },
  };
};
