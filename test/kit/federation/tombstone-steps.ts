import { expect } from 'chai';
import { NodeSelf, nodePrincipal } from '../../../kernel/plugin-api.ts';
import { TombstoneFollows } from '../../../plugins/tombstones/federation/follow-peer.ts';
import type { FederatedNode } from './federated-node.ts';

/** Returns a capability token by which one node lets another one read its tombstones. */
export const capability = async (by: FederatedNode, to: Pick<FederatedNode, 'nodeId'>): Promise<string> => {
  const issuer = `agent:owner-of-${by.identity.nodeId.slice('svc://'.length, -'.test'.length)}`;
  const body = { issuer, subject: to.nodeId, verb: 'tombstone:read', object: 'public', ttl_seconds: 86_400 };
  const reply = await by.request('POST', '/v1/federation/capability-tokens', { key: by.key, body });
  expect(reply.status, reply.text).to.equal(201);
  return reply.body.token_json;
};

/** Lets a node read the tombstones of a peer. */
export const follow = async (node: FederatedNode, peerNodeId: string, token: string): Promise<void> => {
  const { peers } = (await node.get('/v1/federation/peers')).body;
  const peer = peers.find(({ node_id }: { readonly node_id: string }) => node_id === peerNodeId);
  const by = nodePrincipal(node.kernel.get(NodeSelf).names);
  await node.kernel.get(TombstoneFollows).follow(by, peer.peer_id, token);
};
