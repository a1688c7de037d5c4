import {
  defineCollectHook,
  defineRef,
  type PluginSnapshot,
  type PluginTransaction,
  type Scope,
} from '../../kernel/plugin-api.ts';

/** A garden that somebody has just made (wire contract 10). */
export interface GardenCreated {
  /** UUID. */
  readonly gardenId: string;
  readonly tenantId: string;
  readonly slug: string;
  readonly scope: Scope;
  /** entity_uri of who made it. */
  readonly createdBy: string;
  /** Milliseconds since the epoch. */
  readonly createdMs: number;
}

/**
 * Called in the transaction that creates the garden, once: what is written there exists exactly when the garden does. A
 * throw takes the garden back.
 */
export const gardenCreated = defineCollectHook<GardenCreated & { readonly transaction: PluginTransaction }, never>(
  'garden:created',
);

/** Note on a draft for a quarantine garden: why it is held, in one word. */
export const QuarantineReason = defineRef<string>('gardens.quarantine-reason');

/** Where inbound facts wait that nobody here has looked at yet. */
export interface Quarantine {
  /**
   * UUID of the garden that SVC_QUARANTINE_GARDEN_ID names, in this tenant; null when it names none that exists. A fact
   * stored there is pending: only its moderators see it, until one of them lets it out.
   */
  inbound(tenantId: string, snapshot: PluginSnapshot): Promise<string | null>;
}

export const Quarantine = defineRef<Quarantine>('gardens.quarantine');
