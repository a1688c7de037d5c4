import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createKoaTransport } from '../../../adapters/koa/koa-transport.ts';
import { createNode, type Node } from '../../../config/create-node.ts';
import type { DescribedRoute } from '../../../kernel/description/node-description.ts';
import { NodeSelf, nodePrincipal, Permissions, SCOPES, Vocabulary } from '../../../kernel/plugin-api.ts';
import { KeyRegistry } from '../../../plugins/keys/keys-api.ts';
import type { FactStore } from '../../../ports/ports.ts';
import { createLoopbackNetwork, type LoopbackNetwork } from '../../fakes/loopback-network.ts';
import { createMemoryLogger } from '../../fakes/memory-logger.ts';
import { quietBilling } from '../../fakes/quiet-billing.ts';
import { checkReplies } from '../../kit/check-replies.ts';
import { createPeerIdentity, type PeerIdentity } from '../../kit/federation/peer-identity.ts';
import { drawProviderKey, FAKE_ISSUER, serveFakeProvider, signToken } from '../../kit/oidc/fake-provider.ts';
import { waitUntil } from '../../kit/wait-until.ts';

/** The default caller of the examples. */
export const CALLER = 'agent:indexer';
const AUDIENCE = 'fact-memory';
const NODE_ID = 'svc://alpha.example.com';
const KEY = 'the-key-of-the-caller-of-all-examples';

/** A job type without a worker. */
export const IDLE_JOB = 'test.nobody';

interface Job {
  readonly job_type: string;
  readonly status: string;
}

export interface Asked {
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly key?: string;
}

/**
 * A node with every bundled plugin and every switch enabled, on real HTTP. Its peers, identity provider and other
 * targets are on a simulated network.
 */
export interface Stage {
  readonly url: string;
  /** The key of `CALLER`, with every permission and scope. */
  readonly key: string;
  readonly node: Node;
  readonly network: LoopbackNetwork;
  readonly routes: readonly DescribedRoute[];
  /** The identity of the node, with which a test signs declarations. */
  readonly identity: PeerIdentity;
  /** Returns a text that no other call returned, usable as a name: lower-case letters, digits and dashes. */
  unique(): string;
  /** Sends a preparing request, and returns the body of its answer. Throws unless the status is 2xx. */
  // biome-ignore lint/suspicious/noExplicitAny: replies have any shape, and each test checks the members that it reads
  ask(method: string, path: string, asked?: Asked): Promise<any>;
  /** Returns a valid token of the identity provider. */
  idToken(): Promise<string>;
  /** Waits for background work of the examples, and stops the node. */
  stop(): Promise<void>;
}

/** The identity and the switches of the node of a stage, with which another program opens its store. */
export const STAGE_VARIABLES = {
  SVC_NODE_ID: NODE_ID,
  SVC_NODE_URL: 'https://alpha.example.com',
  SVC_NODE_PRIVATE_KEY: createPeerIdentity(NODE_ID, Date.now).seed,
  SVC_FEDERATION_ENABLED: 'true',
  SVC_MULTI_TENANT_ENABLED: 'true',
  SVC_TOMBSTONES_ENABLED: 'true',
};

/** Starts the stage on a SQLite file, or on the given store, which an earlier stage may have filled. */
export const startStage = async (store?: FactStore, { isNew = true } = {}): Promise<Stage> => {
  const folder = await mkdtemp(join(tmpdir(), 'examples-'));
  const network = createLoopbackNetwork();
  const providerKey = await drawProviderKey('EdDSA', 'first');
  await serveFakeProvider(network.transport(FAKE_ISSUER), [providerKey.jwk]);
  const identity = createPeerIdentity(NODE_ID, Date.now);
  const outward = network.transport('https://alpha.example.com');
  const inward = createKoaTransport({
    host: '127.0.0.1',
    port: 0,
    corsAllowedOrigins: [],
    corsDevLocalhost: false,
    report: () => {},
  });
  const node = await createNode({
    env: STAGE_VARIABLES,
    inspectReplies: checkReplies,
    overrides: {
      adapters: { store: { path: join(folder, 'node.db') } },
      plugins: { oidc: { enabled: true, issuerUrl: FAKE_ISSUER, audience: AUDIENCE, clientId: 'node-client' } },
    },
    adapters: {
      transport: { ...outward, serve: inward.serve },
      log: createMemoryLogger([]),
      extras: [quietBilling],
      ...(store !== undefined && { store: () => store }),
    },
  });
  const close = async (): Promise<void> => {
    await node.stop();
    await rm(folder, { recursive: true, force: true });
  };
  try {
    const { url } = await node.start();
    if (isNew) await registerCaller(node);
    const ask: Stage['ask'] = async (method, path, { body, headers = {}, key = KEY } = {}) => {
      const reply = await fetch(`${url}${path}`, {
        method,
        headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json', ...headers },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      const text = await reply.text();
      if (!reply.ok) throw new Error(`${method} ${path}: ${reply.status} ${text}`);
      return text === '' ? undefined : JSON.parse(text);
    };
    const idToken = (): Promise<string> => {
      const now = Math.floor(Date.now() / 1_000);
      return signToken(providerKey, { iss: FAKE_ISSUER, sub: 'alice', aud: AUDIENCE, iat: now, exp: now + 300 });
    };
    const { routes } = await node.describe();
    const stop = async (): Promise<void> => {
      await waitUntil('no job is at work', 60_000, async () => {
        const { jobs } = await ask('GET', '/v1/jobs?limit=500');
        return jobs.every(
          ({ job_type: type, status }: Job) => type === IDLE_JOB || status === 'done' || status === 'failed',
        );
      });
      await close();
    };
    return { url, key: KEY, node, network, routes, identity, unique: randomUUID, ask, idToken, stop };
  } catch (error) {
    await close();
    throw error;
  }
};

const registerCaller = async ({ kernel }: Node): Promise<void> => {
  const permissions = kernel
    .get(Vocabulary)
    .words(Permissions)
    .map(({ id }) => id);
  const holder = { rawKey: KEY, entityUri: CALLER, permissions, allowedScopes: SCOPES };
  await kernel.get(KeyRegistry).register(nodePrincipal(kernel.get(NodeSelf).names), holder);
};
