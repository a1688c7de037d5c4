import type { PluginTransaction } from '../../../kernel/plugin-api.ts';
import type { AuditEvent } from '../../audit/audit-api.ts';

/** An entry of `GET /v1/federation/audit`. It never contains a value of a fact, a token or a key. */
export interface FederationEvent {
  readonly tenantId: string;
  /** The id of the peering; null if none is known. */
  readonly peerId: string | null;
  /** The id of the other node, if known, for the node's audit log. */
  readonly nodeId: string | null;
  readonly event: AuditEvent;
  readonly detail?: Readonly<Record<string, string | number | boolean | null>>;
}

/** Records the events of the exchange with peers. */
export interface FederationLog {
  /** Records entries. In a transaction of the tenant, they become durable exactly when it commits. */
  record(events: readonly FederationEvent[], transaction?: PluginTransaction): Promise<void>;
  /**
   * Records refusals in a transaction of their own, so that they survive a rollback. Records at most 60 per minute for
   * each peer and kind; `suppressed` in the next detail counts the others. Never call it inside a transaction.
   */
  recordRejections(events: readonly FederationEvent[]): Promise<void>;
}

/** A recorded entry of the federation log. */
export interface FederationEntry {
  readonly id: string;
  readonly peerId: string | null;
  readonly event: string;
  readonly detail: Readonly<Record<string, unknown>> | null;
  /** The time of the entry, in milliseconds since the epoch. */
  readonly tsMs: number;
}

/** A filter for entries; absent members match every entry. */
export interface FederationEntryFilter {
  readonly peerId?: string | undefined;
  /** The id of an event; an unknown id matches nothing. */
  readonly event?: string | undefined;
}

/** The position of an entry in a list with the newest first. */
export type FederationEntryPosition = Pick<FederationEntry, 'tsMs' | 'id'>;
