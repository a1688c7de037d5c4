import { expect } from 'chai';
import { comesTrue } from '../../kit/comes-true.ts';
import { startTestNode, type TestNode, type TestNodeOptions } from '../../kit/start-test-node.ts';
import type { TestReply } from '../../kit/test-request.ts';

type Members = Readonly<Record<string, unknown>>;

export const RELATION_PLUGINS = ['keys', 'audit', 'facts', 'jobs', 'relations', 'time-travel', 'conflicts'] as const;

/** A node with rules about relations, and short methods for the steps of tests. */
export interface RelationsNode extends TestNode {
  /** A key that reads and writes. */
  readonly key: string;
  readonly admin: string;
  /** Asserts a fact: by default, `user:a` likes the value in scope company. Returns the reply's body. */
  say(v: unknown, members?: Members): Promise<TestReply['body']>;
  /** Sets a rule. */
  rule(pattern: string, values: 'one' | 'many', members?: Members): Promise<TestReply['body']>;
  remove(pattern: string): Promise<TestReply>;
  /** Returns the sorted values of a query. An exclamation mark follows each contradicted value. */
  shown(query?: string): Promise<readonly string[]>;
  conflicts(status?: 'unresolved' | 'resolved' | 'all'): Promise<readonly TestReply['body'][]>;
  /** Waits until the background jobs are done, apart from second runs that wait for other processes. */
  settled(): Promise<void>;
}

export const startRelationsNode = async (options: TestNodeOptions = {}): Promise<RelationsNode> => {
  const node = await startTestNode({ plugins: RELATION_PLUGINS, ...options });
  const key = await node.addKey({ entityUri: 'agent:a' });
  const admin = await node.addKey({ entityUri: 'agent:admin', permissions: ['read', 'write', 'admin', 'audit.read'] });
  const must = async (status: number, method: string, path: string, by: string, body?: unknown) => {
    const reply = await node.request(method, path, body === undefined ? { key: by } : { key: by, body });
    expect(reply.status, `${method} ${path}: ${reply.text}`).to.equal(status);
    return reply.body;
  };
  return {
    ...node,
    key,
    admin,
    say: (v, members = {}) =>
      must(201, 'POST', '/v1/facts', key, {
        entity: 'user:a',
        relation: 'memory:likes',
        value: { type: 'string', v },
        source: 'agent:a',
        scope: 'company',
        ...members,
      }),
    rule: (pattern, values, members = {}) => must(200, 'PUT', '/v1/relations', admin, { pattern, values, ...members }),
    remove: (pattern) => node.request('DELETE', `/v1/relations?pattern=${encodeURIComponent(pattern)}`, { key: admin }),
    shown: async (query = '') => {
      const { facts } = await must(200, 'GET', `/v1/facts?entity=user:a${query}`, key);
      return facts
        .map((fact: { value: { v: string }; contradicted: boolean }) =>
          fact.contradicted ? `${fact.value.v}!` : fact.value.v,
        )
        .sort();
    },
    conflicts: async (status = 'unresolved') =>
      (await must(200, 'GET', `/v1/conflicts?status=${status}`, key)).conflicts,
    settled: () =>
      comesTrue(async () => {
        await node.clock.advance(1_000);
        const { jobs } = await must(200, 'GET', '/v1/jobs?limit=100', admin);
        const now = jobs.filter((job: { status: string }) => job.status === 'done' || job.status === 'failed');
        // Each change has a second run, which waits for other processes.
        return now.length * 2 >= jobs.length;
      }),
  };
};
