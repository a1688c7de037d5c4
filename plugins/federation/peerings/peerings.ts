import type { PluginSnapshot } from '../../../kernel/plugin-api.ts';
import type { Peering } from './peering.ts';

/** Topic that is signalled when a peering has changed, for workers of this plugin (`onSignal`). */
export const PEERS_CHANGED = 'peers';

/** Who this node exchanges facts with. A node is the peer of one tenant at most. */
export interface Peerings {
  /** The peering with the node of this id, in whatever spelling, in any status, and of whatever tenant. */
  withNode(nodeId: string): Promise<Peering | undefined>;
  /** The same for many nodes in one statement, by node id; those without a peering are left out. */
  withNodes(nodeIds: readonly string[]): Promise<ReadonlyMap<string, Peering>>;
  /** In any status. */
  get(peerId: string): Promise<Peering | undefined>;
  /** All active ones, of all tenants. */
  active(): Promise<readonly Peering[]>;
  /** As the snapshot or transaction has it: for what must still hold when something is stored. */
  read(snapshot: PluginSnapshot, tenantId: string, peerId: string): Promise<Peering | undefined>;
  /**
   * Reads the metadata of the peer again and follows its key, where the pinned one vouches for the new one. At most
   * once in 30 seconds for each peer; calls that come meanwhile share the run, later ones get what is stored. Returns
   * the peering as it is afterwards, also when the peer did not answer. Not inside a transaction: it waits for the
   * network.
   */
  refreshKeys(peering: Peering): Promise<Peering>;
}
