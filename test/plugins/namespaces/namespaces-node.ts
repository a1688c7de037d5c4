import { expect } from 'chai';
import { startTestNode, type TestNode, type TestNodeOptions } from '../../kit/start-test-node.ts';
import type { RequestOptions, TestReply } from '../../kit/test-request.ts';

/** The callers of these tests, by their entities. */
export const CAST = {
  owner: 'agent:owner',
  stranger: 'agent:stranger',
  operator: 'agent:operator',
} as const;
export type Actor = keyof typeof CAST;

type Members = Readonly<Record<string, unknown>>;

/** The namespace of the owner, and an entity in it. */
export const PATTERN = 'svc://localhost:8765/project/x/*';
export const OWNED = 'svc://localhost:8765/project/x/plan';

export const NAMESPACE_PLUGINS = [
  'audit',
  'attestation',
  'keys',
  'facts',
  'conflicts',
  'gardens',
  'namespaces',
] as const;

export interface NamespacesNode extends TestNode {
  readonly keys: Readonly<Record<Actor, string>>;
  ask(actor: Actor, method: string, path: string, options?: RequestOptions): Promise<TestReply>;
  /** Sends a request and expects this status. */
  must(status: number, actor: Actor, method: string, path: string, body?: unknown): Promise<TestReply>;
  give(pattern: string, owners?: readonly string[]): Promise<TestReply['body']>;
  /** Asserts a fact, by default about the owned entity. */
  say(actor: Actor, members?: Members): Promise<TestReply>;
}

export const assertion = (members: Members = {}) => ({
  entity: OWNED,
  relation: 'memory:status',
  value: { type: 'string', v: 'open' },
  source: 'agent:s',
  scope: 'company',
  ...members,
});

/** Returns the status of a reply, and the code of its error if there is one. */
export const outcome = ({ status, body }: TestReply): readonly [number, string?] =>
  body?.code === undefined ? [status] : [status, body.code];

export const REFUSED = [403, 'namespace_owned'] as const;

export const startNamespacesNode = async (options: TestNodeOptions = {}): Promise<NamespacesNode> => {
  const env = { SVC_NAMESPACES_ENABLED: 'true', ...options.env };
  const node = await startTestNode({ plugins: NAMESPACE_PLUGINS, ...options, env });
  const rights = ['read', 'write', 'instruction:write'];
  const keys = {
    owner: await node.addKey({ entityUri: CAST.owner, permissions: rights }),
    stranger: await node.addKey({ entityUri: CAST.stranger, permissions: rights }),
    operator: await node.addKey({ entityUri: CAST.operator, permissions: [...rights, 'admin', 'audit.read'] }),
  };
  const ask: NamespacesNode['ask'] = (actor, method, path, given = {}) =>
    node.request(method, path, { key: keys[actor], ...given });
  const must: NamespacesNode['must'] = async (status, actor, method, path, body) => {
    const reply = await ask(actor, method, path, body === undefined ? {} : { body });
    expect(reply.status, `${actor} ${method} ${path}: ${reply.text}`).to.equal(status);
    return reply;
  };
  return {
    ...node,
    keys,
    ask,
    must,
    give: async (pattern, owners = [CAST.owner]) =>
      (await must(200, 'operator', 'PUT', '/v1/namespaces', { pattern, owners })).body,
    say: (actor, members) => ask(actor, 'POST', '/v1/facts', { body: assertion(members) }),
  };
};
