import { defineCollectHook, defineRef, type PluginSnapshot, type PluginTransaction } from '../../kernel/plugin-api.ts';

/** Kinds of entries (wire contract 14). The set is closed. */
export const AUDIT_EVENTS = [
  'fact_write',
  'fact_read',
  'capability_issued',
  'capability_verified',
  'capability_rejected',
  'capability_revoked',
  'manifest_publish',
  'key_rotation',
  'federation_connect',
  'quarantine_ingest',
  'quarantine_promote',
  'quarantine_reject',
  'quota_breach',
  'admin_action',
  'api_key_revoked',
  'replay_rejected',
  'instruction_audit',
  'instruction_quarantined',
  'instruction_promoted',
  'peer_hlc_anomaly',
  'tombstone_created',
  'tombstone_revoked',
  'tombstone_federation_ingested',
  'tombstone_federation_rejected',
  'federation_integrity_rejected',
  'federation_valid_until_extension_rejected',
  'subscription_cancelled_access_revoked',
] as const;
export type AuditEvent = (typeof AUDIT_EVENTS)[number];

type Scalar = string | number | boolean | null;

/**
 * Something that happened. Must never hold a fact's value, a key, a token or any other secret: the log is never erased.
 */
export interface AuditEntry {
  readonly event: AuditEvent;
  readonly tenantId: string;
  /** Who did it. */
  readonly entityUri: string;
  readonly oidcSub?: string | null;
  /** The fact it is about. It must be stored already for the entry to be found by it. */
  readonly factId?: string | null;
  readonly source?: string;
  readonly attestedKeyId?: string | null;
  readonly detail?: Readonly<Record<string, Scalar | readonly Scalar[]>>;
}

/** The log of who did what. Append-only; entries of one tenant are numbered in the order of their commits. */
export interface AuditLog {
  /**
   * Adds entries, in order. With a transaction they exist exactly when it commits; this is for what it changes. Without
   * one they are committed when the promise resolves; it throws inside a write, which it would have to wait for.
   */
  record(entries: AuditEntry | readonly AuditEntry[], transaction?: PluginTransaction): Promise<void>;
  /**
   * Adds an entry about something that was refused, in a transaction of its own, so that it survives whatever was
   * rolled back. At most `REJECTIONS_PER_MINUTE` per tenant, entity and event: refusals cost their sender nothing and
   * must not be able to fill the disk. What was left out is counted in member `suppressed` of the next entry's detail.
   */
  recordRejection(entry: AuditEntry): Promise<void>;
}

export const AuditLog = defineRef<AuditLog>('audit.log');

export const REJECTIONS_PER_MINUTE = 60;

/** What is known about an agent key that signed a fact. */
export interface SigningKey {
  readonly id: string;
  readonly entityUri: string;
  readonly description: string | null;
}

/** Asks whoever keeps agent keys about some of them. Unknown ids are left out. */
export const auditDescribeKeys = defineCollectHook<
  { readonly keyIds: readonly string[]; readonly tenantId: string; readonly snapshot: PluginSnapshot },
  readonly SigningKey[]
>('audit:describeKeys');
