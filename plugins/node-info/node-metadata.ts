import { cacheResult, UNICODE_VERSION } from '../../kernel/internal-api.ts';
import { type Clock, type HookCaller, type NodeSelf, nodeMetadata } from '../../kernel/plugin-api.ts';
import type { KeyHistory } from './key-history.ts';
import type { NodeIdentity, NodeInfo, NodeMetadata } from './node-info-api.ts';

/** The version of the metadata document, not of the program. */
const METADATA_VERSION = '1.0';
const METADATA_KEPT_MS = 1_000;

/** The relation prefixes that every node knows, after its own. */
const VOCABULARY = ['rel:', 'memory:', 'intent:', 'roadmap:', 'preference:', 'garden:'] as const;

export interface MetadataParts {
  readonly self: NodeSelf;
  readonly hooks: HookCaller;
  readonly clock: Clock;
  readonly identity: Pick<NodeIdentity, 'publicKey'>;
  readonly history: KeyHistory;
  readonly cors: { readonly devLocalhost: boolean; readonly configured: boolean };
}

/** See `NodeInfo.metadata`. */
export const createMetadata = (parts: MetadataParts): NodeInfo['metadata'] =>
  cacheResult(
    () => metadataOf(parts),
    METADATA_KEPT_MS,
    () => parts.clock.monotonicMs(),
  );

/** Returns the document with its defaults, for a node without plugins that check keys, federate or rate sources. */
const metadataOf = async ({ self, hooks, identity, history, cors }: MetadataParts): Promise<NodeMetadata> => {
  const base: NodeMetadata = {
    version: METADATA_VERSION,
    node_id: self.nodeId,
    node_url: self.nodeUrl,
    auth: 'none',
    federation: 'disabled',
    source_attestation: 'off',
    namespaces: [self.names.prefix, ...VOCABULARY],
    unicode_version: UNICODE_VERSION,
    spec: `${self.nodeUrl}/spec`,
    cors: { dev_localhost: cors.devLocalhost, configured: cors.configured },
    federation_pubkey: identity.publicKey,
    federation_keys: await history.list(),
  };
  return Object.assign(base, ...(await hooks.collect(nodeMetadata, {})));
};
