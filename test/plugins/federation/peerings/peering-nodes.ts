import { NodeSelf, nodePrincipal } from '../../../../kernel/plugin-api.ts';
import { type DeclarationDocument, PeerRegistry } from '../../../../plugins/federation/federation-api.ts';
import { NodeIdentity } from '../../../../plugins/node-info/node-info-api.ts';
import { createLoopbackNetwork, type LoopbackNetwork } from '../../../fakes/loopback-network.ts';
import { createManualClock, type ManualClock } from '../../../fakes/manual-clock.ts';
import { createSeededRandom } from '../../../fakes/seeded-random.ts';
import { comesTrue } from '../../../kit/comes-true.ts';
import { startTestNode, type TestNode, type TestNodeOptions } from '../../../kit/start-test-node.ts';

export const PEERS = '/v1/federation/peers';
export const ON = { enabled: true, insecure: true } as const;

/** A node with federation enabled, and an API key of its operator. */
export interface PeerNode {
  readonly node: TestNode;
  readonly id: string;
  readonly operator: string;
  readonly registry: PeerRegistry;
  readonly url: string;
}

export interface PeerPlace {
  readonly network: LoopbackNetwork;
  readonly clock: ManualClock;
  /** Returns a new random seed for each start of a node. */
  nextSeed(): number;
}

export const peerPlace = (): PeerPlace => {
  let seed = 0;
  const nextSeed = (): number => {
    seed += 1;
    return seed;
  };
  return { network: createLoopbackNetwork(), clock: createManualClock(), nextSeed };
};

type PeerOptions = Omit<TestNodeOptions, 'network' | 'clock' | 'url'> & { readonly scheme?: 'http' | 'https' };

export const startPeer = async (
  name: string,
  place: PeerPlace,
  { scheme = 'http', ...options }: PeerOptions = {},
): Promise<PeerNode> => {
  const url = `${scheme}://${name}.example`;
  const node = await startTestNode({
    random: createSeededRandom(place.nextSeed()),
    ...options,
    network: place.network,
    clock: place.clock,
    url,
    node: { id: `svc://${name}.example`, ...options.node },
    settings: { federation: ON, ...options.settings },
  });
  const operator = await node.addKey({ entityUri: `agent:operator-of-${name}`, permissions: ['federate', 'admin'] });
  return { node, url, operator, id: node.kernel.get(NodeSelf).nodeId, registry: node.kernel.get(PeerRegistry) };
};

/** Returns a declaration of node `from` for node `to` without registering it. */
export const signDeclaration = (
  from: PeerNode,
  members: Readonly<Record<string, string | readonly string[] | null>>,
): DeclarationDocument => signBy(from, { declaring_node_id: from.id, node_url: from.url, ...members });

/** Signs the given members without adding a member, and returns the declaration. */
export const signBy = (from: PeerNode, members: DeclarationDocument): DeclarationDocument => {
  const identity = from.node.kernel.get(NodeIdentity);
  const bytes = Buffer.from(canonical(members));
  return { ...members, declaration_sig: Buffer.from(identity.sign(bytes)).toString('base64url') };
};

/** Returns the RFC 8785 form of a flat document whose values are strings, lists of strings and nulls. */
const canonical = (members: DeclarationDocument): string =>
  `{${Object.keys(members)
    .sort()
    .map((name) => `${JSON.stringify(name)}:${JSON.stringify(members[name])}`)
    .join(',')}}`;

/** Advances the clock minute by minute until the condition holds. A slow check delays the next minute. */
export const minutesUntil = (place: PeerPlace, holds: () => Promise<boolean>): Promise<void> =>
  comesTrue(async () => {
    await place.clock.advance(60_000);
    return holds();
  });

export const operatorOf = ({ node }: PeerNode, tenantId?: string) =>
  nodePrincipal(node.kernel.get(NodeSelf).names, tenantId);

/** Posts a document as the operator of a node. */
export const post = (to: PeerNode, body: unknown) => to.node.request('POST', PEERS, { key: to.operator, body });

export const listed = async (at: PeerNode) =>
  (await at.node.request('GET', PEERS, { key: at.operator })).body.peers as Record<string, unknown>[];

/** Creates a declaration of each node for the other, and registers both on both nodes. */
export const connect = async (a: PeerNode, b: PeerNode, members: Readonly<Record<string, readonly string[]>> = {}) => {
  const signed_at = new Date(a.node.clock.nowMs()).toISOString();
  const there = signDeclaration(a, { target_node_id: b.id, signed_at, ...members });
  const back = signDeclaration(b, { target_node_id: a.id, signed_at, ...members });
  for (const to of [a, b]) {
    for (const body of [there, back]) {
      const { status, text } = await post(to, body);
      if (status !== 201) throw new Error(text);
    }
  }
};

export const eventsOf = async (at: PeerNode, query = '') =>
  (await at.node.request('GET', `/v1/federation/audit${query}`, { key: at.operator })).body.entries as {
    event_type: string;
    peer_id: string | null;
    detail: Record<string, unknown> | null;
    ts: string;
    id: string;
  }[];
