import type { PluginTransaction } from '../../../kernel/plugin-api.ts';
import type { AuditEvent } from '../../audit/audit-api.ts';

/** An entry of `GET /v1/federation/audit`. Never a value of a fact, a token or a key. */
export interface FederationEvent {
  readonly tenantId: string;
  /** Null where no peering is known. */
  readonly peerId: string | null;
  /** The other node, as far as it is known, for the audit log of the node. */
  readonly nodeId: string | null;
  readonly event: AuditEvent;
  readonly detail?: Readonly<Record<string, string | number | boolean | null>>;
}

/** What happened between this node and its peers. */
export interface FederationLog {
  /** With a transaction, which is one of the tenant, the entries exist exactly when it commits. */
  record(events: readonly FederationEvent[], transaction?: PluginTransaction): Promise<void>;
  /**
   * Records refusals in a transaction of their own, so that they survive a rollback. At most 60 a minute for each peer
   * and kind: the member `suppressed` of the next detail counts those that were left out. Never inside a transaction.
   */
  recordRejections(events: readonly FederationEvent[]): Promise<void>;
}

/** An entry as it was recorded. */
export interface FederationEntry {
  readonly id: string;
  readonly peerId: string | null;
  readonly event: string;
  readonly detail: Readonly<Record<string, unknown>> | null;
  /** Milliseconds since the epoch. */
  readonly tsMs: number;
}

/** Which entries; a member that is left out narrows nothing. */
export interface FederationEntryFilter {
  readonly peerId?: string | undefined;
  /** Id of an event; an unknown one finds nothing. */
  readonly event?: string | undefined;
}

/** The place of an entry in a list that begins with the newest. */
export type FederationEntryPosition = Pick<FederationEntry, 'tsMs' | 'id'>;
