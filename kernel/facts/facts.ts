import { defineRef, type Principal, type ServiceError, type StoredFact } from '../../ports/ports.ts';
import type { PluginSnapshot } from '../store/plugin-transaction.ts';
import type { AppendOptions, AppendVerdict } from './append-api.ts';
import type { FactDraft, Notes } from './fact-draft.ts';
import type { FactView } from './fact-view.ts';
import type { FactReader, ReadPurpose } from './reader-api.ts';

/** The facts of the node. Every call is made on behalf of somebody. */
export interface Facts {
  /**
   * Stores one fact and everything that follows from it in one transaction, and answers after the commit. Rejects with
   * the ServiceError of its verdict. Not idempotent by itself; see the `facts` plugin for duplicates and idempotency
   * keys.
   */
  append(draft: FactDraft, caller: Principal, options?: AppendOptions): Promise<{ view: FactView; existing: boolean }>;
  /** The same for several facts in one transaction, judged in order, each with its own verdict. */
  appendAll(
    drafts: readonly FactDraft[],
    caller: Principal,
    options?: AppendOptions,
  ): Promise<readonly AppendVerdict[]>;
  /**
   * Why an append of these drafts would be refused now for what the caller may do, each in its turn; undefined where it
   * would not. Nothing is written and no writer is waited for.
   */
  refusals(drafts: readonly FactDraft[], caller: Principal): Promise<readonly (ServiceError | undefined)[]>;
  /**
   * Runs reads on one snapshot. `notes` tell handlers of reads what the caller asked for besides; `AsOf` and `ValidAt`
   * among them set the moment at which the reader judges.
   */
  read<T>(caller: Principal, purpose: ReadPurpose, work: (reader: FactReader) => Promise<T>, notes?: Notes): Promise<T>;
  /**
   * The same on a snapshot, or inside a write transaction, that somebody else opened: for callers that judge several
   * callers, or rights of their own, on one state. The reader ends with the snapshot.
   */
  readIn<T>(
    snapshot: PluginSnapshot,
    caller: Principal,
    purpose: ReadPurpose,
    work: (reader: FactReader) => Promise<T>,
  ): Promise<T>;
  /**
   * A text that is another one whenever an answer may differ from the one before: see `FactStore.version`. Undefined
   * while nobody can tell. Answers also change at the instants that `FactReader.steadyUntil` tells.
   */
  version(): string | undefined;
  /** For a plugin whose memory follows the store: from now on it answers otherwise than at the last commit. */
  answersChanged(): void;
  /** Judges one fact for one caller without the query compiler: visible, in any state. */
  isVisible(fact: StoredFact, reader: FactReader): Promise<boolean>;
}

export const Facts = defineRef<Facts>('kernel.facts');
