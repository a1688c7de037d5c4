import type { FactLink } from '../../ports/ports.ts';
import { defineCollectHook, defineEventHook } from '../hooks/define-hook.ts';
import type {
  AppendBatch,
  AppendedBatch,
  AppendedFact,
  AuthoriseBatch,
  DraftBatch,
  LinkBatch,
  RestoredBatch,
  SettleableItem,
} from './append-api.ts';
import type { FactDraft } from './fact-draft.ts';

/*
 * An append has four phases, each a hook, and their order is their meaning. A phase calls its handlers once for all
 * facts. Handlers of one phase do not see each other's decisions, and so may run in any order. A handler with nothing
 * to await returns nothing, because even a resolved promise takes time.
 */

/** Before the transaction: completes drafts by their notes, and refuses those that it cannot complete. */
export const appendRead = defineCollectHook<DraftBatch, never>('append:read');

/**
 * In the transaction: checks whether the callers may store these facts. Handlers refuse, and write nothing, because
 * they may run on a snapshot too.
 */
export const appendAuthorise = defineCollectHook<AuthoriseBatch, never>('append:authorise');

/** In the transaction: stored facts take the place of those that repeat them. */
export const appendSettle = defineCollectHook<AppendBatch<SettleableItem>, never>('append:settle');

/** In the transaction: checks the new facts against the stored ones. The last refusal before facts get their stamps. */
export const appendJudge = defineCollectHook<AppendBatch, never>('append:judge');

/**
 * In the transaction of an append or import, once the facts have their stamps: links each to the one before it. The
 * rows of the facts hold the links. At most one handler may return any; without them, facts have no links.
 */
export const appendLink = defineCollectHook<LinkBatch, readonly FactLink[]>('append:link');

/**
 * In the same transaction, after the facts were inserted, once per batch. Rows that must exist exactly when the fact
 * exists are written here. Returned drafts are appended in the same transaction by the same steps, at most three levels
 * deep.
 */
export const factAppended = defineCollectHook<AppendedBatch, readonly FactDraft[]>('fact:appended');

/**
 * In the transaction of an import, after its facts were inserted, once per batch. Plugins write the rows here that they
 * hold for every fact, of any origin. Rows about an append itself are part of the imported file.
 */
export const factRestored = defineCollectHook<RestoredBatch, never>('fact:restored');

/** After the commit. Best effort: effects that must survive a crash belong into `fact:appended`. */
export const factCommitted = defineEventHook<{ readonly facts: readonly AppendedFact[] }>('fact:committed');
