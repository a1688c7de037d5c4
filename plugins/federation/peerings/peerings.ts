import type { PluginSnapshot } from '../../../kernel/plugin-api.ts';
import type { Peering } from './peering.ts';

/** Signal topic for changed peerings, for the workers of this plugin (`onSignal`). */
export const PEERS_CHANGED = 'peers';

/** The peerings of this node. Each other node is a peer of at most one tenant. */
export interface Peerings {
  /** The peering with a node id in any spelling, in any status and of any tenant. */
  withNode(nodeId: string): Promise<Peering | undefined>;
  /** The same for many nodes in one statement, by node id; nodes without a peering are left out. */
  withNodes(nodeIds: readonly string[]): Promise<ReadonlyMap<string, Peering>>;
  /** Finds a peering in any status. */
  get(peerId: string): Promise<Peering | undefined>;
  /** All active peerings of all tenants. */
  active(): Promise<readonly Peering[]>;
  /** Reads from the snapshot or transaction, for conditions that must still hold when it commits. */
  read(snapshot: PluginSnapshot, tenantId: string, peerId: string): Promise<Peering | undefined>;
  /**
   * Reads the metadata of the peer again, and follows a new key that the pinned one has signed. Runs at most once in 30
   * seconds per peer: concurrent calls share the run, later ones get the stored peering. Returns the updated peering,
   * also if the peer did not reply. Waits for the network, so never call it inside a transaction.
   */
  refreshKeys(peering: Peering): Promise<Peering>;
}
