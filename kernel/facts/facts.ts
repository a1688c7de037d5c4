import { defineRef, type Principal, type ServiceError, type StoredFact } from '../../ports/ports.ts';
import type { PluginSnapshot } from '../store/plugin-transaction.ts';
import type { AppendOptions, AppendVerdict } from './append-api.ts';
import type { FactDraft, Notes } from './fact-draft.ts';
import type { FactView } from './fact-view.ts';
import type { FactReader, ReadPurpose } from './reader-api.ts';

/** The facts of the node. Every call acts for one caller. */
export interface Facts {
  /**
   * Stores one fact and its follow-ups in one transaction, and resolves after the commit. Rejects with the
   * `ServiceError` of its verdict. Not idempotent by itself; see the `facts` plugin for duplicates and idempotency
   * keys.
   */
  append(draft: FactDraft, caller: Principal, options?: AppendOptions): Promise<{ view: FactView; existing: boolean }>;
  /** The same for several facts in one transaction, checked in order, each with its own verdict. */
  appendAll(
    drafts: readonly FactDraft[],
    caller: Principal,
    options?: AppendOptions,
  ): Promise<readonly AppendVerdict[]>;
  /**
   * Returns for each draft the refusal that an append would give it now by the caller's rights; undefined when it would
   * not. Writes nothing and waits for no writer.
   */
  refusals(drafts: readonly FactDraft[], caller: Principal): Promise<readonly (ServiceError | undefined)[]>;
  /**
   * Runs reads on one snapshot. `notes` tell handlers of reads about further parameters; `AsOf` and `ValidAt` among
   * them set the moment of the reader.
   */
  read<T>(caller: Principal, purpose: ReadPurpose, work: (reader: FactReader) => Promise<T>, notes?: Notes): Promise<T>;
  /**
   * The same on a snapshot or inside a write transaction that is open already: for callers that check several callers,
   * or rights of their own, on one state. The reader ends with the snapshot.
   */
  readIn<T>(
    snapshot: PluginSnapshot,
    caller: Principal,
    purpose: ReadPurpose,
    work: (reader: FactReader) => Promise<T>,
  ): Promise<T>;
  /**
   * Returns a text that changes whenever an answer may change: see `FactStore.version`. Undefined when the store cannot
   * tell. Answers also change at the instants that `FactReader.cacheableUntil` returns.
   */
  version(): string | undefined;
  /** For a plugin with its own memory of the store: its answers differ from now on from those since the last commit. */
  answersChanged(): void;
  /** Checks one fact for one caller without the query compiler: visible, in any state. */
  isVisible(fact: StoredFact, reader: FactReader): Promise<boolean>;
}

export const Facts = defineRef<Facts>('kernel.facts');
