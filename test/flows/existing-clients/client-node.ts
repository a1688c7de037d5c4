import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { createNode } from '../../../config/create-node.ts';
import { NodeSelf, nodePrincipal, Permissions, SCOPES, Vocabulary } from '../../../kernel/plugin-api.ts';
import { KeyRegistry } from '../../../plugins/keys/keys-api.ts';
import { createMemoryLogger } from '../../fakes/memory-logger.ts';
import { quietBilling } from '../../fakes/quiet-billing.ts';
import { checkReplies } from '../../kit/check-replies.ts';
import { currentStore } from '../../kit/for-each-store.ts';
import { placeTestStore } from '../../kit/test-store.ts';

const KEY = 'the-key-of-an-existing-client-of-the-node';
/** The entity of the client's key. */
export const AGENT = 'agent:existing';

export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: replies have any shape, and each test checks the members that it reads
  readonly body: any;
}

/** A node with the default plugins on a real socket, which receives requests as existing clients send them. */
export interface ClientNode {
  /** Sends the body as JSON, and a `Content-Type` header with every request, even without a body. */
  send(method: string, target: string, body?: unknown, headers?: Readonly<Record<string, string>>): Promise<Reply>;
  /** Asserts a fact as existing clients do, and returns its object. */
  assert(members?: object, headers?: Readonly<Record<string, string>>): Promise<Reply['body']>;
  stop(): Promise<void>;
}

/** The members that existing clients send with every assertion. */
export const assertion = (members: object = {}): object => ({
  entity: 'user:noor',
  relation: 'memory:role',
  value: { type: 'string', v: 'archivist' },
  source: AGENT,
  confidence: 1.0,
  scope: 'company',
  write_mode: 'assert',
  derived_from: [],
  ...members,
});

export const startClientNode = async (serviceName = 'svc'): Promise<ClientNode> => {
  const folder = await mkdtemp(join(tmpdir(), 'clients-'));
  const store = await placeTestStore(currentStore(), folder);
  const node = await createNode({
    env: { SVC_SERVICE_NAME: serviceName },
    inspectReplies: checkReplies,
    overrides: { adapters: { store: store.settings, transport: { port: 0 } } },
    adapters: { log: createMemoryLogger([]), extras: [quietBilling] },
  });
  const stop = async (): Promise<void> => {
    await node.stop();
    await store.remove();
    await rm(folder, { recursive: true, force: true });
  };
  try {
    const { url } = await node.start();
    const { kernel } = node;
    const all = kernel.get(Vocabulary).words(Permissions);
    await kernel.get(KeyRegistry).register(nodePrincipal(kernel.get(NodeSelf).names), {
      rawKey: KEY,
      entityUri: AGENT,
      permissions: all.map(({ id }) => id),
      allowedScopes: SCOPES,
    });
    const send: ClientNode['send'] = async (method, target, body, headers = {}) => {
      const reply = await fetch(`${url}${target}`, {
        method,
        headers: { Authorization: `Bearer ${KEY}`, 'Content-Type': 'application/json', ...headers },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      const text = await reply.text();
      return { status: reply.status, headers: reply.headers, body: text === '' ? undefined : JSON.parse(text) };
    };
    const assert: ClientNode['assert'] = async (members, headers) => {
      const { status, body } = await send('POST', '/v1/facts', assertion(members), headers);
      expect(status, JSON.stringify(body)).to.equal(201);
      return body;
    };
    return { send, assert, stop };
  } catch (error) {
    await stop();
    throw error;
  }
};
