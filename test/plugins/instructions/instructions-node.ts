import { expect } from 'chai';
import { startTestNode, type TestNode, type TestNodeOptions } from '../../kit/start-test-node.ts';
import type { TestReply } from '../../kit/test-request.ts';

export const AGENT = 'a1';

type Members = Readonly<Record<string, unknown>>;

export interface Asked {
  readonly agent?: string;
  readonly key?: string;
}

/** A node with the plugin instructions, and shortcuts for its routes. */
export interface InstructionsNode {
  readonly node: TestNode;
  /** The API key of `agent:test`, with the permissions read, write and instruction:write. */
  readonly key: string;
  /** Asserts the text of a unit, in scope local by default, and returns the fact. */
  say(name: string, v: string, members?: Members, asked?: Asked): Promise<TestReply['body']>;
  publish(version: string, entries: readonly unknown[], members?: Members, asked?: Asked): Promise<TestReply>;
  /** Publishes a manifest, expects the status 200 and returns the body. */
  published(version: string, entries: readonly unknown[], members?: Members, asked?: Asked): Promise<TestReply['body']>;
  manifest(asked?: Asked): Promise<TestReply>;
  recall(body: Members, asked?: Asked): Promise<TestReply>;
  /** Recalls instructions, expects the status 200 and returns the body. */
  recalled(body: Members, asked?: Asked): Promise<TestReply['body']>;
  /** Returns the audit entries of an event, oldest first. */
  audited(event: string): Promise<readonly TestReply['body'][]>;
}

export const uriOf = (name: string, version = 'v1', agent = AGENT): string =>
  `instruction:default/agent/${agent}/${name}/${version}`;

/** Returns a valid entry of a manifest. */
export const unit = (name: string, members: Members = {}, agent = AGENT) => ({
  name,
  description: `about ${name}`,
  fact_uri: uriOf(name, 'v1', agent),
  load_triggers: { intents: [], keywords: [], task_types: [] },
  token_estimate: 10,
  ...members,
});

export const INSTRUCTION_PLUGINS = [
  'multi-tenant',
  'audit',
  'keys',
  'facts',
  'conflicts',
  'recall',
  'search',
  'instructions',
] as const;

export const startInstructionsNode = async (options: TestNodeOptions = {}): Promise<InstructionsNode> => {
  const node = await startTestNode({ plugins: [...INSTRUCTION_PLUGINS], ...options });
  // The permission is required for a manifest of an agent other than the caller.
  const key = await node.addKey({ permissions: ['read', 'write', 'instruction:write'] });
  const request = (method: string, path: string, { agent = AGENT, key: as = key }: Asked, body?: unknown) =>
    node.request(method, `/v1/agents/${encodeURIComponent(agent)}/${path}`, {
      key: as,
      ...(body === undefined ? {} : { body }),
    });
  const whole = async (asking: Promise<TestReply>) => {
    const reply = await asking;
    expect(reply.status, reply.text).to.equal(200);
    return reply.body;
  };
  const made: InstructionsNode = {
    node,
    key,
    async say(name, v, members = {}, { agent = AGENT, key: as = key } = {}) {
      const body = {
        entity: uriOf(name, 'v1', agent),
        relation: 'instruction:content',
        value: { type: 'text', v },
        source: 'agent:author',
        ...members,
      };
      const reply = await node.request('POST', '/v1/facts', { key: as, body });
      expect(reply.status, reply.text).to.equal(201);
      return reply.body;
    },
    publish: (version, entries, members = {}, asked = {}) =>
      request('PUT', 'instruction-manifest', asked, { version, entries, skip_coverage_gate: true, ...members }),
    published: (...asked) => whole(made.publish(...asked)),
    manifest: (asked = {}) => request('GET', 'instruction-manifest', asked),
    recall: (body, asked = {}) => request('POST', 'recall-instruction', asked, body),
    recalled: (...asked) => whole(made.recall(...asked)),
    async audited(event) {
      const auditor = await node.addKey({ entityUri: 'agent:auditor', permissions: ['audit.read'] });
      const { entries } = await whole(node.request('GET', `/v1/auth/audit?event_type=${event}`, { key: auditor }));
      return entries;
    },
  };
  return made;
};
