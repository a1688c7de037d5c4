import { createPeerIdentity } from '../../test/kit/federation/peer-identity.ts';
import type { ServerProcess } from '../processes/child-process.ts';
import { type NodeProcess, startNode } from '../processes/start-node.ts';

/** A node process that can become a peer of another one. */
export interface FederatedServer extends NodeProcess {
  readonly identity: ReturnType<typeof createPeerIdentity>;
}

/** Starts a node that exchanges facts, on an empty store. */
export const startFederated = async (name: string): Promise<FederatedServer> => {
  const identity = createPeerIdentity(`svc://${name}.bench`, Date.now);
  const node = await startNode({
    env: {
      SVC_FEDERATION_ENABLED: 'true',
      SVC_FEDERATION_INSECURE: 'true',
      SVC_FEDERATION_PULL_INTERVAL_S: '1',
      SVC_NODE_ID: identity.nodeId,
      SVC_NODE_PRIVATE_KEY: identity.seed,
    },
  });
  return { ...node, identity };
};

/** Sends a request to a node with its operator's key, and returns the body of the reply. */
export const ask = async (
  { port, key }: Pick<ServerProcess, 'port' | 'key'>,
  method: string,
  path: string,
  body?: unknown,
): Promise<Readonly<Record<string, unknown>>> => {
  const reply = await fetch(`http://127.0.0.1:${port}${path}`, {
    method,
    headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  if (!reply.ok) throw new Error(`${method} ${path} replied ${reply.status}: ${await reply.text()}`);
  return (await reply.json()) as Readonly<Record<string, unknown>>;
};

export const addressOf = ({ port }: Pick<ServerProcess, 'port'>): string => `http://127.0.0.1:${port}`;

/** Lets one node pull from the other, which listens at the address. The other node does not pull back. */
export const letPull = async (
  puller: FederatedServer,
  source: FederatedServer,
  scopes: readonly string[],
  address = addressOf(source),
): Promise<void> => {
  const [shares, takes] = [source, puller].map(({ identity }, at) =>
    identity.declare((at === 0 ? puller : source).identity.nodeId, {
      allowed_scopes: scopes,
      direction: at === 0 ? 'outbound' : 'inbound',
      node_url: at === 0 ? address : addressOf(puller),
    }),
  );
  for (const node of [source, puller]) {
    for (const declaration of [shares, takes]) await ask(node, 'POST', '/v1/federation/peers', declaration);
  }
};
