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

/** An event that several plugins record. Its detail names the action. */
export const ADMIN_ACTION = defineAuditEvent('admin_action', { summary: 'somebody administered the node' });
/**
 * The event of a refused credential. Its detail contains the credential's digest, the address, method, route and code.
 * The entry belongs to no entity.
 */
export const CREDENTIAL_REFUSED = defineAuditEvent('credential_refused', { summary: 'a credential was refused' });
export const KEY_ROTATION = defineAuditEvent('key_rotation', { summary: 'a signing key was added, ended or replaced' });

type Scalar = string | number | boolean | null;

/**
 * An entry to record. It must never contain a fact's value, a key, a token or any other secret, because entries cannot
 * be removed from the log.
 */
export interface AuditEntry {
  readonly event: AuditEvent;
  readonly tenantId: string;
  /** The entity that performed the action. */
  readonly entityUri: string;
  readonly oidcSub?: string | null;
  /** The id of the fact that the entry is about, stored or not. */
  readonly factId?: string | null;
  readonly source?: string;
  readonly attestedKeyId?: string | null;
  readonly detail?: Readonly<Record<string, Scalar | readonly Scalar[]>>;
}

/** The append-only log of actions. It numbers the entries of one tenant in the order of their commits. */
export interface AuditLog {
  /**
   * Adds entries, in order. With a transaction of their tenant they commit together; use it for entries about the
   * transaction's own changes. Without one, they are committed when the promise resolves. Inside a write it throws
   * without a transaction, because it would otherwise block until that write ends.
   */
  record(entries: AuditEntry | readonly AuditEntry[], transaction?: PluginTransaction): Promise<void>;
  /**
   * Adds an entry about a read to a buffer, without a commit of its own. The node begins to store the buffer 200 ms
   * later, and stores it before `Audit` reads the log in this process. A crash may lose the entry; a regular stop does
   * not. Rejects while entries cannot be stored: the read must then not be answered.
   */
  recordSoon(entry: AuditEntry): Promise<void>;
  /**
   * Adds an entry about a refusal, in a transaction of its own, so that it survives a rollback. Stores at most
   * `REJECTIONS_PER_MINUTE` per tenant, entity and event, because anybody can cause refusals and they must not fill the
   * disk. The next entry's detail counts the others in `suppressed`.
   */
  recordRejection(entry: AuditEntry): Promise<void>;
}

/** The permission to read all entries of the tenant, and nothing else. */
export const AUDIT_READ = definePermission('audit.read', { summary: 'read the whole audit log of the tenant' });

export const AuditLog = defineRef<AuditLog>('audit.log');

/** An agent's key that has signed a fact. */
export interface SigningKey {
  readonly id: string;
  readonly entityUri: string;
  readonly description: string | null;
}

/** Returns the descriptions of agent keys from the plugin that stores them. Handlers leave out unknown ids. */
export const auditDescribeKeys = defineCollectHook<
  { readonly keyIds: readonly string[]; readonly tenantId: string; readonly snapshot: PluginSnapshot },
  readonly SigningKey[]
>('audit:describeKeys');

/** Signs documents of the audit log with the node's key. */
export interface AuditSigner {
  /** The raw Ed25519 key in base64url without padding. */
  readonly publicKey: string;
  sign(bytes: Uint8Array): Uint8Array;
  /** Returns all present and former keys of the node, in the same form. */
  keys(): Promise<readonly string[]>;
}

/**
 * Returns the node's signer from the plugin that holds the node's key. This is a hook, because that plugin records
 * entries itself, and so the audit cannot require it.
 */
export const auditSigner = defineCollectHook<Record<string, never>, AuditSigner>('audit:signer');

export interface RecordedEntry {
  /** The number of the entry, in the order of the tenant's commits, with gaps. */
  readonly seq: number;
  readonly id: string;
  readonly event: string;
  readonly tenantId: string;
  readonly entityUri: string;
  readonly oidcSub: string | null;
  readonly factId: string | null;
  readonly source: string;
  readonly attestedKeyId: string | null;
  /** The time of the entry, in milliseconds since the epoch. */
  readonly tsMs: number;
  /** The detail as JSON text; null for an entry without one, and where `detailIsGone`. */
  readonly detail: string | null;
  /**
   * Random text that `detailHash` covers too, so that nobody guesses the detail by its hash. Null without a detail, and
   * where `detailIsGone`.
   */
  readonly detailSalt: string | null;
  /** The hash that the link covers in place of the detail; null for an entry without one. */
  readonly detailHash: string | null;
  /** True if the stored detail stays encrypted, because the node no longer has the key that opens it. */
  readonly detailIsGone: boolean;
  /**
   * The entry's link in the chain of entries. Null for an entry about a stored fact, because facts have their own
   * chain.
   */
  readonly link: ChainLink | null;
}

/** An entry with its fact and signing key, as far as the caller may see them. */
export interface EntryWithFact {
  readonly entry: RecordedEntry;
  /** The fact; undefined for an entry without one, and for a fact that the caller may not see. */
  readonly fact: StoredFact | undefined;
  readonly signingKey: SigningKey | undefined;
}

/** A filter for entries of the caller's tenant. Absent members match every entry. */
export interface AuditFilter {
  /** The entity that performed the action. */
  readonly entityUri?: string | undefined;
  readonly source?: string | undefined;
  readonly factId?: string | undefined;
  readonly oidcSub?: string | undefined;
  /** True for entries with an agent's signing key, false for the others. */
  readonly attested?: boolean | undefined;
  /** The id of an event; an unknown id matches nothing. */
  readonly event?: string | undefined;
  /** Start of the period in milliseconds since the epoch; both limits are included. */
  readonly sinceMs?: number | undefined;
  readonly untilMs?: number | undefined;
}

/** The position of an entry in a list with the newest first. */
export type EntryPosition = Pick<RecordedEntry, 'tsMs' | 'id'>;

export interface EntryPage<T> {
  readonly entries: readonly T[];
  /** The number of matching entries on all pages. */
  readonly total: number;
  /** True if more entries follow. A page with facts may end early if their values are long. */
  readonly more: boolean;
}

/** The use that one entity made of the memory on one day (UTC), with one key. */
export interface DayUse {
  readonly day: string;
  readonly entityUri: string;
  /** The API key; null where the entry has none, as for stored facts. */
  readonly keyId: string | null;
  /** Requests that read facts without a recall. They leave no entries; a crash may lose those of the last minute. */
  readonly reads: number;
  readonly writes: number;
  readonly recalls: number;
  /** Other entries, such as changes of rights. */
  readonly others: number;
  /** Tokens of recalled facts. */
  readonly tokens: number;
  readonly writtenBytes: number;
  readonly recalledBytes: number;
}

/** A place in the counts of reads: newest day first, then by entity and key, which is empty for none. */
export interface ReadsPosition {
  readonly day: string;
  readonly entityUri: string;
  readonly keyId: string;
}

/** A position in the sums of use: first the reads by day, entity and key, then the entries. */
export type UsePosition = EntryPosition | { readonly afterReads: ReadsPosition };

export interface UsePage {
  /** Newest day first. The entries of one day may continue on the next page. */
  readonly days: readonly DayUse[];
  /** The number of entries on this page, and of rows that count reads. */
  readonly counted: number;
  /** The end of the page if more follows. */
  readonly next: UsePosition | null;
}

/** The first broken point of a log's chain, and the reason. */
export interface ChainProblem {
  readonly reason: string;
  /** The number of the broken entry; null if the entry is missing. */
  readonly seq: number | null;
  readonly chainSeq: number;
  readonly entryId: string | null;
}

/** The result of verifying a part of the log. */
export interface VerifiedEntries {
  readonly tenantId: string;
  /** The number of valid links in this part. */
  readonly checked: number;
  /** The number of those whose detail is gone: its key was destroyed with the retention, before a backup came back. */
  readonly detailsGone: number;
  /** The last valid place in the chain; undefined without one. */
  readonly place: ChainPlace | undefined;
  /** The place of the newest entry in the chain; undefined if the chain is empty. */
  readonly head: ChainPlace | undefined;
  /** True if more entries follow after `place`. */
  readonly more: boolean;
  /** The newest checkpoint as a signed document, as `GET /v1/audit/verify` returns it. */
  readonly checkpoint: SignedDocument | null;
  readonly stub: SignedDocument | null;
  readonly problem: ChainProblem | undefined;
}

/**
 * A published document with its signature, which covers the RFC 8785 form of all other members. `public_key` and
 * `signature` are null if it is not signed.
 */
export type SignedDocument = Readonly<Record<string, string | number | null>>;

/** Reads the audit log of the caller's tenant. */
export interface Audit {
  /**
   * Returns the log, oldest first, after the number `afterSeq`. Returns at most `limit` entries (1 to 1000, 200 by
   * default). Needs `admin` or `audit.read`.
   */
  log(
    caller: Principal,
    filter: AuditFilter,
    page?: { readonly afterSeq?: number; readonly limit?: number },
  ): Promise<EntryPage<RecordedEntry>>;
  /**
   * Returns entries with their facts, newest first, after the position `after`. Callers with `admin` or `audit.read`
   * get all entries of the tenant, callers with only `read` get their own. Returns at most `limit` entries (1 to 500,
   * 50 by default). Needs one of the three permissions.
   */
  entries(
    caller: Principal,
    filter: AuditFilter,
    page?: { readonly after?: EntryPosition | undefined; readonly limit?: number },
  ): Promise<EntryPage<EntryWithFact>>;
  /**
   * Sums up reads and the entries of `entries` by day, entity and key, newest first: at most `limit` entries (1 to 500)
   * after the position. Reads are of whole days. Bytes of stored values count where the caller may see the fact.
   */
  use(
    caller: Principal,
    filter: AuditFilter,
    page: { readonly after?: UsePosition | undefined; readonly limit: number },
  ): Promise<UsePage>;
  /**
   * Returns at most 1000 entries about one fact, oldest first, in the form of `entries`. Returns none for an unknown
   * fact, or if this caller may not read its entries.
   */
  ofFact(caller: Principal, factId: string): Promise<Omit<EntryPage<EntryWithFact>, 'total'>>;
  /**
   * Yields all entries that `entries` lists, in parts. Each part has its own snapshot, because a long-lived snapshot
   * slows the store down. Ends early when the signal aborts.
   */
  export(caller: Principal, filter: AuditFilter, signal?: AbortSignal): AsyncIterable<readonly EntryWithFact[]>;
  /**
   * Yields the entries of `export` as JSON lines, oldest first, in pieces of text. The last line contains the number of
   * entries and the newest checkpoint from the start of the export. Only callers who may read all entries get their
   * number, detail and link.
   */
  exportLines(caller: Principal, filter: AuditFilter, signal?: AbortSignal): AsyncIterable<string>;
  /**
   * Verifies some 2000 entries of the tenant's chain after the number `afterSeq`, with their checkpoints and stub.
   * Needs `admin` or `audit.read`.
   */
  verify(caller: Principal, afterSeq?: number): Promise<VerifiedEntries>;
}

export const Audit = defineRef<Audit>('audit.audit');
