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

/**
 * The phases of an append. Each of the four phases is a hook, and they run in a fixed order. A phase calls each handler
 * once with all facts. Handlers of one phase do not see each other's decisions, so their order does not matter. A
 * synchronous handler should return nothing, because even a resolved promise takes time.
 */

/** Before the transaction. Handlers complete drafts by their notes, and refuse those that they cannot complete. */
export const appendRead = defineCollectHook<DraftBatch, never>('append:read');

/**
 * In the transaction, or on a snapshot. Handlers check the callers' rights to store these facts. They may refuse, and
 * must write nothing.
 */
export const appendAuthorise = defineCollectHook<AuthoriseBatch, never>('append:authorise');

/** In the transaction. Handlers answer a repeated fact with the stored one. */
export const appendSettle = defineCollectHook<AppendBatch<SettleableItem>, never>('append:settle');

/**
 * In the transaction. Handlers check the new facts against the stored ones. This is the last chance to refuse a fact
 * before it gets its stamps.
 */
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

/** After the commit, as a best effort. Effects that must survive a crash belong into `fact:appended`. */
export const factCommitted = defineEventHook<{ readonly facts: readonly AppendedFact[] }>('fact:committed');
