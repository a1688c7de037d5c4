import { NodeSelf, nodePrincipal } from '../../../kernel/plugin-api.ts';
import { NodeKeys } from '../../../plugins/node-info/node-info-api.ts';
import type { FederatedNode } from './federated-node.ts';

const HOUR_MS = 3_600_000;

/** Returns the id of the key by which a node signs now. */
export const currentKey = async (node: FederatedNode): Promise<string> =>
  (await node.request('GET', '/.well-known/svc')).body.federation_keys.at(-1).key_id;

/** Rotates the key of a node, and starts it again once the former key has ended. */
export const rotate = async (node: FederatedNode, start: () => Promise<FederatedNode>): Promise<FederatedNode> => {
  await node.kernel.get(NodeKeys).rotate(nodePrincipal(node.kernel.get(NodeSelf).names));
  await node.stop();
  // The next start lists the new key. From then on the former key is valid for one more hour.
  await (await start()).stop();
  await node.clock.advance(2 * HOUR_MS);
  return start();
};
