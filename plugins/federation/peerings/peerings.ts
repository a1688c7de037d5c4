import type { PluginSnapshot } from '../../../kernel/plugin-api.ts';
import type { Peering } from './peering.ts';

/** The topic of the signal that the plugin's workers get when a peering has changed (`onSignal`). */
export const PEERS_CHANGED = 'peers';

/**
 * The peerings of this node. Each one connects one tenant with another node, and tenants do not see each other's
 * peerings.
 */
export interface Peerings {
  /**
   * Returns the peerings of all tenants with a node, in any status. The id may have any spelling. Active peerings come
   * first, and among these those established first.
   */
  withNode(nodeId: string): Promise<readonly Peering[]>;
  /** Finds the peerings of a tenant in one statement, by node id. Leaves out nodes without a peering. */
  withNodes(tenantId: string, nodeIds: readonly string[]): Promise<ReadonlyMap<string, Peering>>;
  /** Finds a peering in any status. */
  get(peerId: string): Promise<Peering | undefined>;
  /** Returns all active peerings of all tenants. */
  active(): Promise<readonly Peering[]>;
  /** Reads a peering from the snapshot or transaction, for conditions that must still hold when it commits. */
  read(snapshot: PluginSnapshot, tenantId: string, peerId: string): Promise<Peering | undefined>;
  /**
   * Reads the metadata of the peer again, and accepts a new key that the pinned one has signed. Runs at most once in 30
   * seconds per peer: concurrent calls share the run, later ones get the stored peering. Returns the updated peering,
   * even if the peer did not reply. Never call it inside a transaction, because it makes network requests.
   */
  refreshKeys(peering: Peering): Promise<Peering>;
}
