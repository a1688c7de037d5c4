import type { FactLink, Filter, InboundRequest, Principal } from '../../ports/ports.ts';
import type {
  AppendBatch,
  AppendedBatch,
  AppendedFact,
  AuthoriseBatch,
  DraftBatch,
  LinkBatch,
  RestoredBatch,
  SettleableItem,
} from '../facts/append-api.ts';
import type { FactDraft } from '../facts/fact-draft.ts';
import type { FactView } from '../facts/fact-view.ts';
import type { ReadContext } from '../facts/reader-api.ts';
import { defineCollectHook, defineEventHook, defineFilterHook } from './define-hook.ts';

/*
 * An append goes through four phases, each a hook, and their order is their meaning. Handlers of one phase are called
 * once for all facts, do not see what the others of that phase decide, and so may run in any order. Handlers that have
 * nothing to wait for return nothing: a promise takes time even when it is kept at once.
 */

/** Before the transaction: completes drafts by what their notes ask for, and refuses what cannot be completed. */
export const appendRead = defineCollectHook<DraftBatch, never>('append:read');

/**
 * In the transaction: whether the callers may store these facts, by what holds now. Handlers refuse; they may be asked
 * on a snapshot too, so they write nothing.
 */
export const appendAuthorise = defineCollectHook<AuthoriseBatch, never>('append:authorise');

/** In the transaction: facts that are stored already take the place of those that repeat them. */
export const appendSettle = defineCollectHook<AppendBatch<SettleableItem>, never>('append:settle');

/** In the transaction: whether what is to be stored fits what is there. The last refusal before stamps are given. */
export const appendJudge = defineCollectHook<AppendBatch, never>('append:judge');

/**
 * In the transaction of an append or import, once the facts have their stamps: ties each to the one before it. The
 * links are stored in the rows of the facts. At most one handler may return any; without them, facts have no links.
 */
export const appendLink = defineCollectHook<LinkBatch, readonly FactLink[]>('append:link');

/**
 * In the same transaction, after the facts were inserted, once per batch. Rows that must exist exactly when the fact
 * exists are written here. Returned drafts are appended in the same transaction by the same steps, at most three levels
 * deep.
 */
export const factAppended = defineCollectHook<AppendedBatch, readonly FactDraft[]>('fact:appended');

/**
 * In the transaction of an import, after its facts were inserted, once per batch. Rows that a plugin keeps of every
 * fact, however it came, are written here too. Rows that tell what an append did are part of the imported file.
 */
export const factRestored = defineCollectHook<RestoredBatch, never>('fact:restored');

/** After the commit. Best effort: effects that must survive a crash belong into `fact:appended`. */
export const factCommitted = defineEventHook<{ readonly facts: readonly AppendedFact[] }>('fact:committed');

/**
 * Before any read. All filters hold together; a throw fails the read. Called with the view `visible` for filters that
 * hold in every view, and with `current` for those of a default query alone. No answer is cached unless every handler
 * is registered with `{ cacheable: true }`.
 */
export const readConstrain = defineCollectHook<ReadContext, Filter>('read:constrain');

/**
 * After a read: marks on facts that the caller is allowed to see. No answer is cached unless every handler is
 * registered with `{ cacheable: true }`.
 */
export const readAnnotate = defineFilterHook<readonly FactView[], ReadContext>('read:annotate');

/** Caller and entity whose answers are to be cached, and the moment of the read. */
export interface NextChangeQuestion extends Pick<ReadContext, 'caller' | 'snapshot' | 'nowMs'> {
  readonly entityKey: string;
}

/**
 * Returns the next instant (milliseconds) at which the plugin's `cacheable` handlers change their results about the
 * entity without a commit. Plugins whose results do not change with time need no handler.
 */
export const readNextChange = defineCollectHook<NextChangeQuestion, number>('read:next-change');

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
 * routes), or that it refused the credential of a request that no route takes.
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

/** What `http:refused` says of a request. Never the credential itself. */
export interface RefusedRequest {
  readonly method: string;
  /** Path pattern of the matched route, null when nothing matched. */
  readonly route: string | null;
  readonly access: HttpRequestInfo['access'];
  /** Address of the client, where trusted proxies are believed. */
  readonly address: string;
  /** What to count by: the address, or the network of an IPv6 address, of which a client has many. */
  readonly network: string;
  /** Code of the error. */
  readonly code: string;
  /** Whether it has a credential in the header, or in the body of an open route. */
  readonly presentsCredential: boolean;
  /** Lower-case hex SHA-256 of the credential in the header; null for a request without one. */
  credentialDigest(): string | null;
}

/**
 * After a request was answered with 401. Nobody waits for the handlers. Such requests cost their sender nothing, so
 * handlers must cost little, and store at most a bounded number a minute.
 */
export const httpRefused = defineEventHook<RefusedRequest>('http:refused');

/** Members of the metadata document. Later plugins win. */
export const nodeMetadata = defineCollectHook<Record<string, never>, Readonly<Record<string, unknown>>>(
  'node:metadata',
);

/** What a plugin adds to the words with which the command line greets the user after a start. */
export interface GreetingPart {
  /** Of a first start alone, each line with its label: the presence of one says that this is the first start. */
  readonly lines?: readonly (readonly [label: string, text: string])[];
  /** Of any later start: a few words, such as where the first key lies. */
  readonly note?: string;
  /** Options of curl that give a credential, for the examples of a first start. */
  readonly curlOptions?: string;
  /** What to try at a first start: a title, and a shell command or an address to open, for the node at `base`. */
  examples?(base: string, curlOptions: string): readonly (readonly [title: string, example: string])[];
}

/**
 * Called when somebody has started a node by hand, with `start` or `init`: once, however many processes serve, and
 * before they do. Programs that embed a node do not call it.
 */
export const nodeGreeting = defineCollectHook<Record<string, never>, GreetingPart>('node:greeting');

/**
 * Whether this process takes requests now: a throw, or a problem returned, keeps new ones away, while the node stays
 * well and serves those that come all the same. The text goes to the log, not to the caller.
 */
export const nodeReadiness = defineCollectHook<Record<string, never>, string>('node:readiness');

/** A throw, or a problem returned, makes the node unhealthy; the text goes to the log, not to the caller. */
export const nodeHealth = defineCollectHook<Record<string, never>, string>('node:health');
