import { expect } from 'chai';
import { Facts, NodeSelf, nodePrincipal, Random } from '../../../../kernel/plugin-api.ts';
import type { PeerIdentity } from '../../../kit/federation/peer-identity.ts';
import type { TestReply } from '../../../kit/test-request.ts';
import { NODE_ID, type ServingNode, startServingNode } from '../serving-kit.ts';

export const PULL = '/v1/federation/facts';

/** Returns a function that starts nodes, which stop after each test of the suite. */
export const servingNodes = (): ((options?: Parameters<typeof startServingNode>[0]) => Promise<ServingNode>) => {
  const nodes: ServingNode[] = [];
  afterEach(async () => {
    for (const node of nodes.splice(0)) await node.stop();
  });
  return async (options = {}) => {
    const node = await startServingNode(options);
    nodes.push(node);
    return node;
  };
};

let said = 0;

/** Stores a public fact of the node, with the given members replaced. */
export const say = async (
  node: ServingNode,
  members: object = {},
): Promise<{ readonly id: string; readonly hlc: string; readonly cid: string; readonly relation: string }> => {
  const key = await node.addKey();
  said += 1;
  const body = {
    entity: 'user:alice',
    relation: `memory:note-${said}`,
    value: { type: 'string', v: 'hello' },
    source: 'agent:x',
    scope: 'public',
    ...members,
  };
  const reply = await node.request('POST', '/v1/facts', { key, body });
  expect(reply.status, reply.text).to.equal(201);
  return reply.body;
};

/** Stores a fact as if a peer had sent it, and returns its id. */
export const receive = async (node: ServingNode, members: object): Promise<string> => {
  const draft = {
    id: node.kernel.get(Random).uuid(),
    entity: 'user:alice',
    relation: 'memory:received',
    value: { type: 'string', v: 'hello', interpretAs: 'content' },
    source: 'agent:y',
    confidence: 1,
    scope: 'public',
    timestamp: '2026-03-02T09:15:04.120Z',
    hlcText: `${node.clock.nowMs()}.00`,
    receivedFrom: 'svc://sender.test',
    originNodeId: 'svc://origin.test',
    ...members,
  } as const;
  const caller = { ...nodePrincipal(node.kernel.get(NodeSelf).names), entityUri: 'svc://sender.test', kind: 'peer' };
  const { view } = await node.kernel.get(Facts).append(draft, caller, { origin: 'peer' });
  return view.fact.id;
};

export const pull = (node: ServingNode, peer: PeerIdentity, query = '', claims = {}): Promise<TestReply> =>
  node.request('GET', `${PULL}?${query}`, { key: peer.token(NODE_ID, claims) });

export const idsOf = (reply: TestReply): string[] => {
  expect(reply.status, reply.text).to.equal(200);
  return reply.body.facts.map(({ id }: { id: string }) => id);
};
