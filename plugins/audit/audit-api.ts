import {
  type ChainLink,
  type ChainPlace,
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

/** A kind of entry. */
export type AuditEvent = Word;

export const AuditEvents = defineVocabulary<AuditEvent>('audit event', /^[a-z][a-z0-9_]{0,63}$/);

/**
 * Declares a kind of entry: `defineAuditEvent('budget_spent', { summary: 'a budget was spent' })`. The plugin that
 * records it lists it in `declares`; entries of an undeclared event are refused.
 */
export const defineAuditEvent = (id: string, definition: { readonly summary: string }): AuditEvent =>
  AuditEvents.define(id, definition);

/**
 * A fact was stored: asserted, brought by a peer, imported, or written by the node. Each stored fact is such an entry,
 * also when it was stored while this plugin was switched off. Plugins cannot record it.
 */
export const FACT_WRITE = defineAuditEvent('fact_write', { summary: 'a fact was stored' });
/** An event that several plugins record. Its detail says what was done. */
export const ADMIN_ACTION = defineAuditEvent('admin_action', { summary: 'somebody administered the node' });
/** Its detail names the digest of the credential, the address, method, route and code. It belongs to no entity. */
export const CREDENTIAL_REFUSED = defineAuditEvent('credential_refused', { summary: 'a credential was refused' });
export const KEY_ROTATION = defineAuditEvent('key_rotation', { summary: 'a signing key was added, ended or replaced' });

type Scalar = string | number | boolean | null;

/**
 * An entry to record. It must never hold a fact's value, a key, a token or any other secret, because nobody can
 * take it out of the log.
 */
export interface AuditEntry {
  readonly event: AuditEvent;
  readonly tenantId: string;
  /** Who did it. */
  readonly entityUri: string;
  readonly oidcSub?: string | null;
  /** The fact that the entry is about, stored or not. */
  readonly factId?: string | null;
  readonly source?: string;
  readonly attestedKeyId?: string | null;
  readonly detail?: Readonly<Record<string, Scalar | readonly Scalar[]>>;
}

/** The log of who did what. Append-only; entries of one tenant are numbered in the order of their commits. */
export interface AuditLog {
  /**
   * Adds entries, in order. With a transaction, which is one of their tenant, they exist exactly when it commits; use
   * it for what the transaction changes. Without one they are committed when the promise resolves. Throws without one
   * inside a write, which it would have to wait for.
   */
  record(entries: AuditEntry | readonly AuditEntry[], transaction?: PluginTransaction): Promise<void>;
  /**
   * Adds an entry about a read, without a commit of its own: it is stored with others of its tenant, at most 200 ms
   * later, and before `Audit` shows the log in this process. A crash may lose it; a stop does not. Rejects while
   * entries cannot be stored: what was read must then not be answered.
   */
  recordSoon(entry: AuditEntry): Promise<void>;
  /**
   * Adds an entry about a refusal, in a transaction of its own, so that it survives a rollback. At most
   * `REJECTIONS_PER_MINUTE` per tenant, entity and event: refusals cost their sender nothing and must not fill the
   * disk. Member `suppressed` of the next entry's detail counts those that were left out.
   */
  recordRejection(entry: AuditEntry): Promise<void>;
}

/** Reads all entries of the tenant, and nothing else. */
export const AUDIT_READ = definePermission('audit.read', { summary: 'read the whole audit log of the tenant' });

export const AuditLog = defineRef<AuditLog>('audit.log');

/** An agent key that signed a fact. */
export interface SigningKey {
  readonly id: string;
  readonly entityUri: string;
  readonly description: string | null;
}

/** Asks the plugin that keeps agent keys about some of them. It leaves unknown ids out. */
export const auditDescribeKeys = defineCollectHook<
  { readonly keyIds: readonly string[]; readonly tenantId: string; readonly snapshot: PluginSnapshot },
  readonly SigningKey[]
>('audit:describeKeys');

/** Signs for the audit log by the node's key. */
export interface AuditSigner {
  /** base64url without padding of the raw Ed25519 key. */
  readonly publicKey: string;
  sign(bytes: Uint8Array): Uint8Array;
  /** Every key that the node has had, the current one among them, in the same form. */
  keys(): Promise<readonly string[]>;
}

/** Asks the plugin that keeps the key of the node. It records entries itself, so that the audit cannot require it. */
export const auditSigner = defineCollectHook<Record<string, never>, AuditSigner>('audit:signer');

/** An entry as it was recorded. */
export interface RecordedEntry {
  /** Entries of one tenant are numbered in the order of their commits, with gaps. */
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
  /** Its place in the chain of entries; null for an entry that a fact is, which has a chain of its own. */
  readonly link: ChainLink | null;
}

/** An entry with what its reader may know about the fact and about the key that signed it. */
export interface EntryWithFact {
  readonly entry: RecordedEntry;
  /** Undefined for an entry without a fact, and for a fact that the reader may not see. */
  readonly fact: StoredFact | undefined;
  readonly signingKey: SigningKey | undefined;
}

/** Which entries of the caller's tenant; a member that is left out narrows nothing. */
export interface AuditFilter {
  /** Who did it. */
  readonly entityUri?: string | undefined;
  readonly source?: string | undefined;
  readonly factId?: string | undefined;
  readonly oidcSub?: string | undefined;
  /** Whether the entry names the key of an agent that signed. */
  readonly attested?: boolean | undefined;
  /** Id of an event; an unknown one finds nothing. */
  readonly event?: string | undefined;
  /** Milliseconds since the epoch, both included. */
  readonly sinceMs?: number | undefined;
  readonly untilMs?: number | undefined;
}

/** The place of an entry in a list that begins with the newest. */
export type EntryPosition = Pick<RecordedEntry, 'tsMs' | 'id'>;

export interface EntryPage<T> {
  readonly entries: readonly T[];
  /** Entries that satisfy the filter, on all pages. */
  readonly total: number;
  /** Whether entries follow. A page of entries with facts ends early where the values of the facts are long. */
  readonly more: boolean;
}

/** Where the chain of the log does not hold, and why. */
export interface ChainProblem {
  readonly reason: string;
  /** Number of the entry; null where it is gone. */
  readonly seq: number | null;
  readonly chainSeq: number;
  readonly entryId: string | null;
}

/** What a part of the log was found to be. */
export interface VerifiedEntries {
  readonly tenantId: string;
  /** Links of this part that hold. */
  readonly checked: number;
  /** The last place that holds; undefined for none. */
  readonly place: ChainPlace | undefined;
  /** The newest entry; undefined for a log without entries of its own. */
  readonly head: ChainPlace | undefined;
  /** Whether entries follow behind `place`. */
  readonly more: boolean;
  /** Signed documents, as `GET /v1/audit/verify` shows them. */
  readonly checkpoint: SignedDocument | null;
  readonly stub: SignedDocument | null;
  readonly problem: ChainProblem | undefined;
}

/** With members `public_key` and `signature`, which is over the RFC 8785 form of all others. Null: not signed. */
export type SignedDocument = Readonly<Record<string, string | number | null>>;

/** Reads the audit log of the caller's tenant. */
export interface Audit {
  /**
   * The whole log, oldest first, from the entry after `afterSeq` on; at most `limit` entries (1 to 1000, 200 by
   * default). Needs `admin` or `audit.read`.
   */
  log(
    caller: Principal,
    filter: AuditFilter,
    page?: { readonly afterSeq?: number; readonly limit?: number },
  ): Promise<EntryPage<RecordedEntry>>;
  /**
   * Entries with their facts, newest first: all of the tenant for `admin` and `audit.read`, only its own for a caller
   * with `read` alone. At most `limit` (1 to 500, 50 by default), behind `after`. Needs one of the three permissions.
   */
  entries(
    caller: Principal,
    filter: AuditFilter,
    page?: { readonly after?: EntryPosition | undefined; readonly limit?: number },
  ): Promise<EntryPage<EntryWithFact>>;
  /**
   * Entries about one fact, oldest first, as `entries` shows them; at most 1000. None for a fact that is unknown, and
   * for one without entries for this caller.
   */
  ofFact(caller: Principal, factId: string): Promise<Omit<EntryPage<EntryWithFact>, 'total'>>;
  /**
   * Everything that `entries` lists, in parts. Each part has a snapshot of its own, because a snapshot that is kept
   * open for long holds up the store. Ends early when the signal aborts.
   */
  export(caller: Principal, filter: AuditFilter, signal?: AbortSignal): AsyncIterable<readonly EntryWithFact[]>;
  /**
   * The same as JSON lines, oldest first, in pieces of text. The last line is the end: the number of entries, and the
   * newest checkpoint at the beginning of the export. Lines have number, detail and link for callers who may read all.
   */
  exportLines(caller: Principal, filter: AuditFilter, signal?: AbortSignal): AsyncIterable<string>;
  /**
   * Verifies the chain over the entries of the tenant that no fact is: the entries behind the number `afterSeq`, some
   * 2000 at a time, with the checkpoints and the stub that belong to them. Needs `admin` or `audit.read`.
   */
  verify(caller: Principal, afterSeq?: number): Promise<VerifiedEntries>;
}

export const Audit = defineRef<Audit>('audit.audit');
