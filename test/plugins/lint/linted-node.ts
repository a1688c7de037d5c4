import { expect } from 'chai';
import { startTestNode, type TestNode, type TestNodeOptions } from '../../kit/start-test-node.ts';
import type { TestReply } from '../../kit/test-request.ts';

export interface ListedFinding {
  readonly check: string;
  readonly severity: string;
  readonly entity: string;
  readonly relation: string | null;
  readonly fact_ids: readonly string[];
  readonly detail: string;
}

const HOUR_MS = 3_600_000;

/** A node with lint, and short methods for the steps of tests. */
export interface LintedNode {
  readonly node: TestNode;
  /** A key of `agent:a`, with all scopes. */
  readonly key: string;
  readonly admin: string;
  /** Asserts a fact: by default, `user:a` has the role `one` in scope company. Returns its id. */
  say(members: object, by?: string): Promise<string>;
  /** Retracts the same fact. */
  retract(members?: object): Promise<string>;
  lint(body?: object, by?: string): Promise<TestReply>;
  ask(query: string, by?: string): Promise<TestReply>;
  findings(body?: object, by?: string): Promise<readonly ListedFinding[]>;
  inHours(hours: number): string;
}

export const startLintedNode = async (options: TestNodeOptions = {}): Promise<LintedNode> => {
  const node = await startTestNode({
    plugins: ['keys', 'facts', 'conflicts', 'gardens', 'jobs', 'lint'],
    ...options,
  });
  const key = await node.addKey({ entityUri: 'agent:a' });
  const admin = await node.addKey({ entityUri: 'agent:admin', permissions: ['read', 'write', 'admin'] });
  const say = async (members: object, by = key): Promise<string> => {
    const body = {
      entity: 'user:a',
      relation: 'memory:role',
      value: { type: 'string', v: 'one' },
      source: 'agent:a',
      scope: 'company',
      ...members,
    };
    const reply = await node.request('POST', '/v1/facts', { key: by, body });
    expect(reply.status, JSON.stringify(reply.body)).to.equal(201);
    return reply.body.id;
  };
  const lint = (body: object = { scope: 'company' }, by = key) => node.request('POST', '/v1/lint', { key: by, body });
  return {
    node,
    key,
    admin,
    say,
    retract: (members = {}) => say({ value: { type: 'string', v: 'retracted' }, confidence: 0, ...members }),
    lint,
    ask: (query, by = key) => node.request('GET', `/v1/lint${query}`, { key: by }),
    async findings(body, by) {
      const reply = await lint(body, by);
      expect(reply.status, JSON.stringify(reply.body)).to.equal(200);
      return reply.body.findings;
    },
    inHours: (hours) => new Date(node.clock.nowMs() + hours * HOUR_MS).toISOString(),
  };
};
