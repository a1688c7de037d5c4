import type { ChainLink, ChainPlace } from '../../kernel/internal-api.ts';
import {
  defineCollectHook,
  definePermission,
  defineRef,
  defineVocabulary,
  type PluginSnapshot,
  type PluginTransaction,
  type Principal,
  type StoredFact,
  type Word,
} from '../../kernel/plugin-api.ts';

export type AuditEvent = Word;

export const AuditEvents = defineVocabulary<AuditEvent>('audit event', /^[a-z][a-z0-9_]{0,63}$/);

/**
 * Declares a kind of entry: `defineAuditEvent('budget_spent', { summary: 'a budget was spent' })`. The plugin that
 * records it lists it in `declares`; entries of undeclared events are refused.
 */
export const defineAuditEvent = (id: string, definition: { readonly summary: string }): AuditEvent =>
  AuditEvents.define(id, definition);

/**
 * A fact was stored: asserted, sent by a peer, imported, or written by the node. Each stored fact is such an entry,
 * even if it was stored while this plugin was off. Plugins cannot record it.
 */
export const FACT_WRITE = defineAuditEvent('fact_write', { summary: 'a fact was stored' });
/** An event for several plugins. Its detail names the action. */
export const ADMIN_ACTION = defineAuditEvent('admin_action', { summary: 'somebody administered the node' });
/** Its detail holds the digest of the credential, the address, method, route and code. It belongs to no entity. */
export const CREDENTIAL_REFUSED = defineAuditEvent('credential_refused', { summary: 'a credential was refused' });
export const KEY_ROTATION = defineAuditEvent('key_rotation', { summary: 'a signing key was added, ended or replaced' });

type Scalar = string | number | boolean | null;

/**
 * An entry to record. It must never hold a fact's value, a key, a token or any other secret, because entries cannot be
 * removed from the log.
 */
export interface AuditEntry {
  readonly event: AuditEvent;
  readonly tenantId: string;
  /** The acting entity. */
  readonly entityUri: string;
  readonly oidcSub?: string | null;
  /** The fact that the entry is about, stored or not. */
  readonly factId?: string | null;
  readonly source?: string;
  readonly attestedKeyId?: string | null;
  readonly detail?: Readonly<Record<string, Scalar | readonly Scalar[]>>;
}

/** The append-only log of actions. Entries of one tenant are numbered in the order of their commits. */
export interface AuditLog {
  /**
   * Adds entries, in order. With a transaction of their tenant they commit together; use it for entries about the
   * transaction's own changes. Without one, they are committed when the promise resolves. Inside a write it throws
   * without a transaction, because it would wait for that write.
   */
  record(entries: AuditEntry | readonly AuditEntry[], transaction?: PluginTransaction): Promise<void>;
  /**
   * Adds an entry about a read, without a commit of its own. It is stored with other entries of its tenant at most 200
   * ms later, and before `Audit` reads the log in this process. A crash may lose it; a stop does not. Rejects while
   * entries cannot be stored: the read must then not be answered.
   */
  recordSoon(entry: AuditEntry): Promise<void>;
  /**
   * Adds an entry about a refusal, in a transaction of its own, so that it survives a rollback. At most
   * `REJECTIONS_PER_MINUTE` per tenant, entity and event, because refusals cost their sender nothing and must not fill
   * the disk. The next entry's detail counts the others in `suppressed`.
   */
  recordRejection(entry: AuditEntry): Promise<void>;
}

/** Grants reading all entries of the tenant, and nothing else. */
export const AUDIT_READ = definePermission('audit.read', { summary: 'read the whole audit log of the tenant' });

export const AuditLog = defineRef<AuditLog>('audit.log');

/** An agent key that signed a fact. */
export interface SigningKey {
  readonly id: string;
  readonly entityUri: string;
  readonly description: string | null;
}

/** Collects the descriptions of agent keys from the plugin that stores them. Unknown ids are left out. */
export const auditDescribeKeys = defineCollectHook<
  { readonly keyIds: readonly string[]; readonly tenantId: string; readonly snapshot: PluginSnapshot },
  readonly SigningKey[]
>('audit:describeKeys');

/** Signs for the audit log with the node's key. */
export interface AuditSigner {
  /** base64url without padding of the raw Ed25519 key. */
  readonly publicKey: string;
  sign(bytes: Uint8Array): Uint8Array;
  /** All present and former keys of the node, in the same form. */
  keys(): Promise<readonly string[]>;
}

/**
 * Finds the plugin that holds the node's key. A hook, because that plugin records entries itself and so the audit
 * cannot require it.
 */
export const auditSigner = defineCollectHook<Record<string, never>, AuditSigner>('audit:signer');

export interface RecordedEntry {
  /** Numbered in the order of the tenant's commits, with gaps. */
  readonly seq: number;
  readonly id: string;
  readonly event: string;
  readonly tenantId: string;
  readonly entityUri: string;
  readonly oidcSub: string | null;
  readonly factId: string | null;
  readonly source: string;
  readonly attestedKeyId: string | null;
  /** Milliseconds since the epoch. */
  readonly tsMs: number;
  /** JSON text. */
  readonly detail: string | null;
  /**
   * Its place in the chain of entries. Null for an entry that a stored fact stands for, because facts have a chain of
   * their own.
   */
  readonly link: ChainLink | null;
}

/** An entry with the fact and signing key, as far as its reader may see them. */
export interface EntryWithFact {
  readonly entry: RecordedEntry;
  /** Undefined for an entry without a fact, and for a fact that the reader may not see. */
  readonly fact: StoredFact | undefined;
  readonly signingKey: SigningKey | undefined;
}

/** Selects entries of the caller's tenant. Absent members match every entry. */
export interface AuditFilter {
  /** The acting entity. */
  readonly entityUri?: string | undefined;
  readonly source?: string | undefined;
  readonly factId?: string | undefined;
  readonly oidcSub?: string | undefined;
  /** True for entries with an agent's signing key, false for the others. */
  readonly attested?: boolean | undefined;
  /** Id of an event; an unknown one matches nothing. */
  readonly event?: string | undefined;
  /** Milliseconds since the epoch, both bounds included. */
  readonly sinceMs?: number | undefined;
  readonly untilMs?: number | undefined;
}

/** The position of an entry in a list with the newest first. */
export type EntryPosition = Pick<RecordedEntry, 'tsMs' | 'id'>;

export interface EntryPage<T> {
  readonly entries: readonly T[];
  /** Number of matching entries on all pages. */
  readonly total: number;
  /** True if more entries follow. A page with facts may end early if their values are long. */
  readonly more: boolean;
}

/** The first broken point of a log's chain, with the reason. */
export interface ChainProblem {
  readonly reason: string;
  /** Number of the entry; null if the entry is missing. */
  readonly seq: number | null;
  readonly chainSeq: number;
  readonly entryId: string | null;
}

/** The result of verifying a part of the log. */
export interface VerifiedEntries {
  readonly tenantId: string;
  /** Number of valid links in this part. */
  readonly checked: number;
  /** The last valid place; undefined without one. */
  readonly place: ChainPlace | undefined;
  /** The newest entry; undefined if the log has no entries with rows. */
  readonly head: ChainPlace | undefined;
  /** True if more entries follow after `place`. */
  readonly more: boolean;
  /** Signed documents, as `GET /v1/audit/verify` shows them. */
  readonly checkpoint: SignedDocument | null;
  readonly stub: SignedDocument | null;
  readonly problem: ChainProblem | undefined;
}

/**
 * Its members `public_key` and `signature` are null if it is not signed. The signature covers the RFC 8785 form of all
 * other members.
 */
export type SignedDocument = Readonly<Record<string, string | number | null>>;

/** Reads the audit log of the caller's tenant. */
export interface Audit {
  /**
   * The whole log, oldest first, after `afterSeq`; at most `limit` entries (1 to 1000, 200 by default). Needs `admin`
   * or `audit.read`.
   */
  log(
    caller: Principal,
    filter: AuditFilter,
    page?: { readonly afterSeq?: number; readonly limit?: number },
  ): Promise<EntryPage<RecordedEntry>>;
  /**
   * Entries with their facts, newest first. Callers with `admin` or `audit.read` get all of the tenant, callers with
   * only `read` get their own. At most `limit` (1 to 500, 50 by default), after the position `after`. Needs one of the
   * three permissions.
   */
  entries(
    caller: Principal,
    filter: AuditFilter,
    page?: { readonly after?: EntryPosition | undefined; readonly limit?: number },
  ): Promise<EntryPage<EntryWithFact>>;
  /**
   * Entries about one fact, oldest first, in the form of `entries`; at most 1000. Empty for an unknown fact, and for
   * one without entries that this caller may read.
   */
  ofFact(caller: Principal, factId: string): Promise<Omit<EntryPage<EntryWithFact>, 'total'>>;
  /**
   * Everything that `entries` lists, in parts. Each part has its own snapshot, because a long-lived snapshot burdens
   * the store. Ends early when the signal aborts.
   */
  export(caller: Principal, filter: AuditFilter, signal?: AbortSignal): AsyncIterable<readonly EntryWithFact[]>;
  /**
   * The same as JSON lines, oldest first, in pieces of text. The last line holds the number of entries and the newest
   * checkpoint from the start of the export. Only callers who may read all entries get their number, detail and link.
   */
  exportLines(caller: Principal, filter: AuditFilter, signal?: AbortSignal): AsyncIterable<string>;
  /**
   * Verifies the chain of the tenant's entries with rows: some 2000 entries after the number `afterSeq`, with their
   * checkpoints and stub. Needs `admin` or `audit.read`.
   */
  verify(caller: Principal, afterSeq?: number): Promise<VerifiedEntries>;
}

export const Audit = defineRef<Audit>('audit.audit');
