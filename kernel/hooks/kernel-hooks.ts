import type { Filter, InboundRequest, Principal } from '../../ports/ports.ts';
import type { AppendBatch, AppendedBatch, AppendedFact, FactDraft, FactView, ReadContext } from '../facts/facts-api.ts';
import { defineCollectHook, defineEventHook, defineFilterHook } from './define-hook.ts';

/**
 * In the write transaction, before stamps are given. Handlers answer per item; they replace nothing but may revise
 * items.
 */
export const factBeforeAppend = defineFilterHook<AppendBatch>('fact:beforeAppend');

/**
 * In the same transaction, after the facts were inserted, once per batch. Rows that must exist exactly when the fact
 * exists are written here. Returned drafts are appended in the same transaction by the same steps, at most three levels
 * deep.
 */
export const factAppended = defineCollectHook<AppendedBatch, readonly FactDraft[]>('fact:appended');

/** After the commit. Best effort: what must survive a crash belongs into `fact:appended`. */
export const factCommitted = defineEventHook<{ readonly facts: readonly AppendedFact[] }>('fact:committed');

/**
 * Before any read. All filters hold together; a throw fails the read. Asked for the view `visible`, whose filters hold
 * for every view, and for `current`, for what a default query hides beyond that.
 */
export const readConstrain = defineCollectHook<ReadContext, Filter>('read:constrain');

/** After a read: marks on facts that the caller is allowed to see. */
export const readAnnotate = defineFilterHook<readonly FactView[], ReadContext>('read:annotate');

/** What `http:principal` and `http:admit` see of a request. */
export interface HttpRequestInfo {
  readonly request: InboundRequest;
  /** Path pattern of the matched route, null when nothing matched. */
  readonly route: string | null;
  readonly access: 'open' | 'peer' | 'key';
  /** Quota dimension of the route. */
  readonly dimension: string | null;
}

/**
 * After the Authorizer, before route and method are checked. Null means that the Authorizer was not asked (peer
 * routes).
 */
export const httpPrincipal = defineFilterHook<Principal | null, HttpRequestInfo>('http:principal');

/**
 * After authentication and routing, before permission and body. A throw refuses; returned headers are added to the
 * answer.
 */
export const httpAdmit = defineCollectHook<
  HttpRequestInfo & { readonly caller: Principal },
  Readonly<Record<string, string>>
>('http:admit');

/** Members of the metadata document. Later plugins win. */
export const nodeMetadata = defineCollectHook<Record<string, never>, Readonly<Record<string, unknown>>>(
  'node:metadata',
);

/** A throw, or a problem returned, makes the node unhealthy; the text goes to the log, not to the caller. */
export const nodeHealth = defineCollectHook<Record<string, never>, string>('node:health');
