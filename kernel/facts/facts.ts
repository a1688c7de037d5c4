import { defineRef, type Principal, type ServiceError, type StoredFact } from '../../ports/ports.ts';
import type { PluginSnapshot } from '../store/plugin-transaction.ts';
import type { AppendOptions, AppendVerdict } from './append-api.ts';
import type { FactDraft, Notes } from './fact-draft.ts';
import type { FactView } from './fact-view.ts';
import type { FactReader, ReadPurpose } from './reader-api.ts';

/** The service for the facts of the node. Every call acts for one caller. */
export interface Facts {
  /**
   * Stores one fact and its follow-ups in one transaction, and resolves after the commit. Rejects with the
   * `ServiceError` of its verdict. Not idempotent by itself; see the `facts` plugin for duplicates and idempotency
   * keys.
   */
  append(draft: FactDraft, caller: Principal, options?: AppendOptions): Promise<{ view: FactView; existing: boolean }>;
  /** Stores several facts in one transaction. They are checked in order, each with its own verdict. */
  appendAll(
    drafts: readonly FactDraft[],
    caller: Principal,
    options?: AppendOptions,
  ): Promise<readonly AppendVerdict[]>;
  /**
   * Returns, for each draft, the refusal that an append would give now by the caller's rights; undefined without one.
   * Writes nothing and waits for no writer.
   */
  refusals(drafts: readonly FactDraft[], caller: Principal): Promise<readonly (ServiceError | undefined)[]>;
  /**
   * Runs reads on one snapshot. `notes` tell handlers of reads about further parameters; `AsOf` and `ValidAt` among
   * them set the moment of the reader.
   */
  read<T>(caller: Principal, purpose: ReadPurpose, work: (reader: FactReader) => Promise<T>, notes?: Notes): Promise<T>;
  /**
   * Runs reads on a given snapshot or write transaction, for code that checks several callers, or its own rights, on
   * one state. The reader ends with the snapshot.
   */
  readIn<T>(
    snapshot: PluginSnapshot,
    caller: Principal,
    purpose: ReadPurpose,
    work: (reader: FactReader) => Promise<T>,
  ): Promise<T>;
  /**
   * Returns a text that changes whenever an answer may change: see `FactStore.version`. Undefined when the store cannot
   * tell. Answers also change at the instants from `FactReader.cacheableUntil`.
   */
  version(): string | undefined;
  /** Called by a plugin that caches data of the store, when its answers change without a commit. */
  answersChanged(): void;
  /** Checks whether a caller may see one fact, in any state, without compiling a query. */
  isVisible(fact: StoredFact, reader: FactReader): Promise<boolean>;
}

export const Facts = defineRef<Facts>('kernel.facts');
