import { defineRef } from '../../ports/ports.ts';

/** The operator's settings of the node as a whole, for plugins. Holds no secret. */
export interface NodeSettings {
  /** Whether requests need a credential. */
  readonly authRequired: boolean;
  /** Largest body of a request to a route with the standard limit. */
  readonly maxBodyBytes: number;
  /** Addresses and networks whose `X-Forwarded-For` names the client, for the delays of refused credentials alone. */
  readonly trustedProxies: readonly string[];
  /** The pages that may call the node besides its own. */
  readonly crossOrigin: {
    /** Whether the operator has named origins. */
    readonly configured: boolean;
    /** Whether all pages of localhost may, on any port. */
    readonly devLocalhost: boolean;
  };
  /**
   * How far ahead of physical time a stamp of another node may lie, in milliseconds; 0 switches the bound off.
   */
  readonly maxStampLeadMs: number;
  /** Processes that serve behind the node's port. */
  readonly workers: number;
  /** Place of this process among them, from 0; undefined for a process that serves alone, or does not serve. */
  readonly workerPlace: number | undefined;
  /** How long a stopping node goes on serving while it reports that it is not ready. */
  readonly drainDelayMs: number;
  /** Absolute path of the folder for files that belong to the store. A plugin has a folder of its own in it. */
  readonly dataFolder: string;
  /** Where the store is, for people: a path, or an address without user and password. */
  readonly storeLocation: string;
}

export const NodeSettings = defineRef<NodeSettings>('kernel.node-settings');
