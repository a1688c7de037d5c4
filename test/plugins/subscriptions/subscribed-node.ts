import { Webhook } from 'standardwebhooks';
import type { OutboundReply } from '../../../kernel/plugin-api.ts';
import { createLoopbackNetwork } from '../../fakes/loopback-network.ts';
import { createManualClock } from '../../fakes/manual-clock.ts';
import { startTestNode, type TestNode, type TestNodeOptions } from '../../kit/start-test-node.ts';
import type { TestReply } from '../../kit/test-request.ts';
import { waitUntil } from '../../kit/wait-until.ts';

export const HOOK = 'https://hook.example';
export const HOOK_URL = `${HOOK}/in`;
export const ATLAS = 'svc://alpha.example/project/atlas';
const LIMIT_MS = 60_000;
/** The time in milliseconds for which the node batches events. */
const GATHERING_MS = 60;

/** One request that the node sent to the webhook. */
export interface Attempt {
  readonly id: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: a test says by what it reads what it expects
  readonly body: any;
}

export interface SubscribedNode {
  readonly node: TestNode;
  /** The requests that the webhook received, in order. */
  readonly attempts: Attempt[];
  /** The reply of the webhook; 200 by default. */
  answer: (attempt: Attempt) => Promise<OutboundReply> | OutboundReply;
  readonly admin: string;
  /** The API key of `agent:sub`, which owns the subscriptions in these tests. */
  readonly key: string;
  /** Issues a capability token for `agent:sub` over the object. */
  token(object: string, members?: object): Promise<{ id: string; text: string }>;
  /** Creates a subscription of `agent:sub` to the target, with a new capability token. */
  subscribe(target: string, members?: object, key?: string): Promise<TestReply>;
  assert(members?: object, key?: string): Promise<TestReply>;
  replay(id: string, query?: string, key?: string): Promise<TestReply>;
  /** Waits until the webhook has received this number of requests. */
  sent(count: number): Promise<void>;
  /** Waits until the node has no pending event. */
  settled(): Promise<void>;
  stop(): Promise<void>;
}

const PLUGINS = ['keys', 'audit', 'facts', 'conflicts', 'node-info', 'capability-tokens', 'gardens', 'subscriptions'];
const NODE_KEY = Buffer.alloc(32, 9).toString('base64url');

export const startSubscribedNode = async (options: TestNodeOptions = {}): Promise<SubscribedNode> => {
  const { network = createLoopbackNetwork(), clock = createManualClock(), settings = {} } = options;
  const node = await startTestNode({
    plugins: PLUGINS,
    ...options,
    network,
    clock,
    settings: { 'node-info': { privateKey: NODE_KEY }, ...settings },
  });
  const attempts: Attempt[] = [];
  const hook = await network.transport(HOOK).serve({
    endpoints: [
      {
        method: 'POST',
        path: '/in',
        handle: async (request) => {
          const text = Buffer.from(await request.body(1_000_000)).toString();
          const names = ['webhook-id', 'webhook-timestamp', 'webhook-signature', 'x-svc-event-id', 'content-type'];
          const headers = Object.fromEntries(names.map((name) => [name, request.header(name) ?? '']));
          const attempt = { id: headers['webhook-id'] ?? '', headers, text, body: JSON.parse(text) };
          attempts.push(attempt);
          return subscribed.answer(attempt);
        },
      },
    ],
    unmatched: async () => ({ status: 404, headers: {} }),
  });
  const admin = await node.addKey({ entityUri: 'agent:ops', permissions: ['read', 'write', 'admin'] });
  const key = await node.addKey({ entityUri: 'agent:sub', permissions: ['read'] });
  // The node looks for new facts once, so that it delivers all later events immediately.
  await clock.advance(1_000);
  const token: SubscribedNode['token'] = async (object, members = {}) => {
    const body = { issuer: 'agent:ops', subject: 'agent:sub', verb: 'subscribe', object, ...members };
    const reply = await node.request('POST', '/v1/federation/capability-tokens', { key: admin, body });
    if (reply.status !== 201) throw new Error(reply.text);
    return { id: reply.body.token_id, text: reply.body.token_json };
  };
  const subscribed: SubscribedNode = {
    node,
    attempts,
    answer: () => ({ status: 200, headers: {} }),
    admin,
    key,
    token,
    subscribe: async (target, members = {}, as = key) =>
      node.request('POST', '/v1/subscriptions', {
        key: as,
        headers: { 'X-Svc-Capability': (await token(target.replace(/^scope:/, 'svc://facts/scope:'))).text },
        body: { target, on_change: 'webhook', webhook_url: HOOK_URL, ...members },
      }),
    assert: (members = {}, as = admin) =>
      node.request('POST', '/v1/facts', {
        key: as,
        body: {
          entity: ATLAS,
          relation: 'memory:status',
          value: { type: 'string', v: 'green' },
          scope: 'company',
          source: 'agent:ops',
          ...members,
        },
      }),
    replay: (id, query = '', as = key) => node.request('GET', `/v1/subscriptions/${id}/events${query}`, { key: as }),
    sent: (count) =>
      waitUntil(`the hook was sent ${count} requests`, LIMIT_MS, async () => {
        await clock.advance(GATHERING_MS);
        return attempts.length >= count;
      }),
    settled: () =>
      waitUntil('nothing waits', LIMIT_MS, async () => {
        await clock.advance(GATHERING_MS);
        return (await waiting(node)) === 0;
      }),
    stop: async () => {
      await hook.close(0);
      await node.stop();
    },
  };
  return subscribed;
};

const waiting = async ({ node }: TestNode): Promise<number> => {
  const { FactStore } = await import('../../../ports/ports.ts');
  const [row] = await node.kernel
    .get(FactStore)
    .read(async (snapshot) => snapshot.table('subscriptions_events').whereNotNull('due_ms').count({ n: '*' }));
  return Number((row as { n: number }).n);
};

/** Verifies the signature as a receiver does, at the time of the attempt. Throws for an invalid signature. */
export const verifySignature = (secret: string, { headers, text }: Attempt): void => {
  const signedAt = new Date(Number(headers['webhook-timestamp']) * 1000);
  const expected = new Webhook(secret).sign(headers['webhook-id'] ?? '', signedAt, text);
  if (headers['webhook-signature'] !== expected) throw new Error('the signature is not good');
};
