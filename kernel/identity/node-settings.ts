import { defineRef } from '../../ports/ports.ts';
import type { WithdrawalJournal } from './withdrawal-journal.ts';

/** The name of a memory for people, unless its operator chose another one. */
export const DEFAULT_DISPLAY_NAME = 'Fact memory';

/** The settings of the node as a whole, for plugins. Contains no secret. */
export interface NodeSettings {
  /** The service's own name, for a program that has no `NodeSelf`. */
  readonly serviceName: string;
  /** The name of this memory for people. Identifiers have the name of the service. */
  readonly displayName: string;
  /** Whether requests need a credential. */
  readonly authRequired: boolean;
  /** The maximum body size in bytes for a route with the standard limit. */
  readonly maxBodyBytes: number;
  /**
   * Addresses and networks of proxies whose `X-Forwarded-For` names the client, used only to delay answers to refused
   * credentials.
   */
  readonly trustedProxies: readonly string[];
  /** The pages that may call the node in addition to its own. */
  readonly crossOrigin: {
    /** Whether the operator has configured origins. */
    readonly configured: boolean;
    /** Whether all pages of localhost may call, on any port. */
    readonly devLocalhost: boolean;
  };
  /** The maximum milliseconds by which another node's stamp may be ahead of physical time; 0 for no limit. */
  readonly maxStampLeadMs: number;
  /** The number of processes that serve behind the node's port. */
  readonly workers: number;
  /** The index of this process among them, from 0; undefined for a process that serves alone, or does not serve. */
  readonly workerPlace: number | undefined;
  /** The memory in bytes that caches of plugins may take in this process; 0 turns them off. */
  readonly pluginCacheBytes: number;
  /** The milliseconds for which a stopping node continues to serve while it reports that it is not ready. */
  readonly drainDelayMs: number;
  /** The absolute path of the data folder, in which each plugin has its own folder. */
  readonly dataFolder: string;
  /** The location of the store for people: a path, or an address without user and password. */
  readonly storeLocation: string;
  /** Returns the program and the arguments that run a command on this node's configuration in a process of its own. */
  readonly commandLine: (command: readonly string[]) => readonly string[];
  /** Returns the journals of all plugins, including disabled ones, whose files may still be there. */
  readonly journals: () => Promise<readonly WithdrawalJournal[]>;
}

export const NodeSettings = defineRef<NodeSettings>('kernel.node-settings');
