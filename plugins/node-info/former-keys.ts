import type { NodeIdentity, NodeInfo } from './node-info-api.ts';

/**
 * Returns the ids of the node's earlier keys, whose signatures must be replaced. Returns an empty list while this
 * process still signs with one of them.
 */
export const formerKeyIds = async (
  info: Pick<NodeInfo, 'metadata'>,
  identity: Pick<NodeIdentity, 'publicKey'>,
): Promise<readonly string[]> => {
  const { federation_keys: keys } = await info.metadata();
  const current = keys.at(-1);
  if (current?.public_key !== identity.publicKey) return [];
  return keys.map((key) => key.key_id).filter((id) => id !== current.key_id);
};
