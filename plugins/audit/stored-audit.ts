import {
  type Facts,
  type HookCaller,
  hasPermission,
  type Principal,
  requireLimit,
  requirePermission,
} from '../../kernel/plugin-api.ts';
import {
  AUDIT_READ,
  type Audit,
  type AuditFilter,
  type EntryPage,
  type EntryPosition,
  type EntryWithFact,
  type RecordedEntry,
  type SignedDocument,
  type UsePage,
  type UsePosition,
  type VerifiedEntries,
} from './audit-api.ts';
import type { AuditStore } from './audit-store.ts';
import { exportLines } from './chain/export-lines.ts';
import type { StoredFilter } from './matching-entries.ts';
import type { ReadCounts } from './read-counts.ts';
import { readFactEntries } from './read-fact-entries.ts';
import { NOTHING, sumUse } from './sum-use.ts';

export interface StoredAuditParts {
  readonly store: AuditStore;
  readonly facts: Facts;
  readonly hooks: HookCaller;
  /** Resolves when the tenant's log contains all entries that this process has recorded so far. */
  settle(tenantId: string): Promise<void>;
  readonly reads: ReadCounts;
  /** Verifies a part of the log; see `Audit.verify`. */
  verify(caller: Principal, afterSeq: number): Promise<VerifiedEntries>;
  /** Returns the newest checkpoint of a tenant; null without one. */
  checkpointOf(tenantId: string): Promise<SignedDocument | null>;
}

/** The permissions to read the entries of all callers in the tenant. */
export const READS_ALL = ['admin', AUDIT_READ] as const;
/** The permissions to read own entries, or more. */
export const READS_SOME = ['read', ...READS_ALL] as const;

export const MAX_LOG_PAGE = 1_000;
export const DEFAULT_LOG_PAGE = 200;
export const MAX_ENTRY_PAGE = 500;
export const DEFAULT_ENTRY_PAGE = 50;
/** The maximum number of entries about one fact, because that reply has no pages. */
const MAX_ENTRIES_OF_FACT = 1000;
/** The number of entries held in memory at a time while exporting. */
const EXPORT_PAGE = 500;

export class StoredAudit implements Audit {
  readonly #parts: StoredAuditParts;

  constructor(parts: StoredAuditParts) {
    this.#parts = parts;
  }

  async log(
    caller: Principal,
    filter: AuditFilter,
    { afterSeq = 0, limit = DEFAULT_LOG_PAGE }: { readonly afterSeq?: number; readonly limit?: number } = {},
  ): Promise<EntryPage<RecordedEntry>> {
    requirePermission(caller, READS_ALL);
    requireLimit(limit, MAX_LOG_PAGE);
    const { store, facts, settle } = this.#parts;
    await settle(caller.tenantId);
    const wanted = { ...filter, tenantId: caller.tenantId };
    return facts.read(caller, 'query', async ({ snapshot }) => {
      const matching = await store.matching(wanted, snapshot);
      const found = await matching.inOrder(afterSeq, limit + 1);
      return { entries: found.slice(0, limit), total: await matching.count(), more: found.length > limit };
    });
  }

  async entries(
    caller: Principal,
    filter: AuditFilter,
    { after, limit = DEFAULT_ENTRY_PAGE }: { readonly after?: EntryPosition | undefined; readonly limit?: number } = {},
  ): Promise<EntryPage<EntryWithFact>> {
    requirePermission(caller, READS_SOME);
    requireLimit(limit, MAX_ENTRY_PAGE);
    const { store, facts, hooks, settle } = this.#parts;
    await settle(caller.tenantId);
    const open = openTo(caller, filter);
    return facts.read(caller, 'get', async (reader) => {
      const matching = await store.matching(open, reader.snapshot);
      const found = await matching.newestFirst(after, limit + 1);
      const entries = await readFactEntries(found.slice(0, limit), reader, hooks);
      return { entries, total: await matching.count(), more: entries.length < found.length };
    });
  }

  async use(
    caller: Principal,
    filter: AuditFilter,
    { after, limit }: { readonly after?: UsePosition | undefined; readonly limit: number },
  ): Promise<UsePage> {
    requirePermission(caller, READS_SOME);
    requireLimit(limit, MAX_ENTRY_PAGE);
    const { store, facts, settle, reads } = this.#parts;
    await Promise.all([settle(caller.tenantId), reads.settle()]);
    const open = openTo(caller, filter);
    return facts.read(caller, 'get', async (reader) => {
      const isBehindReads = after !== undefined && !('afterReads' in after);
      const place = isBehindReads ? undefined : after?.afterReads;
      const rows = isBehindReads ? [] : await reads.page(open, { after: place, limit }, reader.snapshot);
      const counted = rows.map(({ keyId, ...row }) => ({ ...NOTHING, ...row, keyId: keyId === '' ? null : keyId }));
      const lastRow = rows.at(-1);
      if (rows.length === limit && lastRow !== undefined) {
        return { days: counted, counted: limit, next: { afterReads: lastRow } };
      }
      const matching = await store.matching(open, reader.snapshot);
      const found = await matching.newestFirst(isBehindReads ? after : undefined, limit - rows.length + 1);
      const entries = found.slice(0, limit - rows.length);
      const next = (found.length > entries.length && entries.at(-1)) || null;
      return { days: [...counted, ...(await sumUse(entries, reader))], counted: rows.length + entries.length, next };
    });
  }

  async ofFact(caller: Principal, factId: string): Promise<Omit<EntryPage<EntryWithFact>, 'total'>> {
    requirePermission(caller, READS_SOME);
    const { store, facts, hooks, settle } = this.#parts;
    await settle(caller.tenantId);
    return facts.read(caller, 'get', async (reader) => {
      const matching = await store.matching(openTo(caller, { factId }), reader.snapshot);
      const found = await matching.inOrder(0, MAX_ENTRIES_OF_FACT);
      const entries = await readFactEntries(found, reader, hooks);
      return { entries, more: entries.length < found.length };
    });
  }

  export(caller: Principal, filter: AuditFilter, signal?: AbortSignal): AsyncIterable<readonly EntryWithFact[]> {
    requirePermission(caller, READS_SOME);
    return this.#pages(caller, filter, signal);
  }

  exportLines(caller: Principal, filter: AuditFilter, signal?: AbortSignal): AsyncIterable<string> {
    requirePermission(caller, READS_SOME);
    return this.#lines(caller, filter, signal);
  }

  async verify(caller: Principal, afterSeq = 0): Promise<VerifiedEntries> {
    await this.#parts.settle(caller.tenantId);
    return this.#parts.verify(caller, afterSeq);
  }

  async *#lines(
    caller: Principal,
    filter: AuditFilter,
    signal: AbortSignal | undefined,
  ): AsyncGenerator<string, void, undefined> {
    await this.#parts.settle(caller.tenantId);
    const showsAll = readsAll(caller);
    // Reads the checkpoint before the entries, so that the export contains every entry that it covers.
    const checkpoint = showsAll ? await this.#parts.checkpointOf(caller.tenantId) : null;
    yield* exportLines(this.#pagesInOrder(caller, filter, signal), showsAll, { checkpoint });
  }

  async *#pagesInOrder(
    caller: Principal,
    filter: AuditFilter,
    signal: AbortSignal | undefined,
  ): AsyncGenerator<readonly EntryWithFact[], void, undefined> {
    const { store, facts, hooks } = this.#parts;
    const open = openTo(caller, filter);
    for (let after: number | undefined = 0; after !== undefined; ) {
      // An aborted export has no last line, so readers recognise it as incomplete.
      signal?.throwIfAborted();
      const above: number = after;
      const page = await facts.read(caller, 'get', async (reader) => {
        const matching = await store.matching(open, reader.snapshot);
        const found = await matching.inOrder(above, EXPORT_PAGE);
        const entries = await readFactEntries(found, reader, hooks);
        return { entries, isLast: found.length < EXPORT_PAGE && entries.length === found.length };
      });
      yield page.entries;
      after = page.isLast ? undefined : page.entries.at(-1)?.entry.seq;
    }
  }

  async *#pages(
    caller: Principal,
    filter: AuditFilter,
    signal: AbortSignal | undefined,
  ): AsyncGenerator<readonly EntryWithFact[], void, undefined> {
    const { store, facts, hooks, settle } = this.#parts;
    await settle(caller.tenantId);
    const open = openTo(caller, filter);
    let after: EntryPosition | undefined;
    do {
      const page = await facts.read(caller, 'get', async (reader) => {
        const matching = await store.matching(open, reader.snapshot);
        const found = await matching.newestFirst(after, EXPORT_PAGE);
        const entries = await readFactEntries(found, reader, hooks);
        const isLast = found.length < EXPORT_PAGE && entries.length === found.length;
        return { last: isLast ? undefined : entries.at(-1)?.entry, entries };
      });
      yield page.entries;
      after = page.last;
    } while (after !== undefined && signal?.aborted !== true);
  }
}

/** Restricts the filter to own entries for a caller who may not read those of others. */
const openTo = (caller: Principal, filter: AuditFilter): StoredFilter => ({
  ...filter,
  tenantId: caller.tenantId,
  ownedBy: readsAll(caller) ? undefined : caller.entityUri,
});

const readsAll = (caller: Principal): boolean => caller.kind === 'node' || hasPermission(caller, READS_ALL);
