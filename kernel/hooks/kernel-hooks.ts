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

/** A request as `http:principal` and `http:admit` see it. */
export interface HttpRequestInfo {
  readonly request: InboundRequest;
  /** Path pattern of the matched route, null when nothing matched. */
  readonly route: string | null;
  readonly access: 'open' | 'peer' | 'key';
  /** Quota dimension of the route. */
  readonly dimension: string | null;
}

/**
 * After the Authorizer, before route and method are checked. Null means that the Authorizer did not run (peer routes),
 * or that it refused the credential of a request without a matching route.
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

/** A refused request, without its credential. */
export interface RefusedRequest {
  readonly method: string;
  /** Path pattern of the matched route, null when nothing matched. */
  readonly route: string | null;
  readonly access: HttpRequestInfo['access'];
  /** Address of the client, as trusted proxies name it. */
  readonly address: string;
  /** The key to count by: the address, or the network of an IPv6 address, because a client has many of those. */
  readonly network: string;
  /** Code of the error. */
  readonly code: string;
  /** Whether it has a credential in the header, or in the body of an open route. */
  readonly presentsCredential: boolean;
  /** Lower-case hex SHA-256 of the credential in the header; null for a request without one. */
  credentialDigest(): string | null;
}

/**
 * After a request was answered with 401. Nothing waits for the handlers. A client sends such requests for free, so
 * handlers must cost little, and store at most a bounded number a minute.
 */
export const httpRefused = defineEventHook<RefusedRequest>('http:refused');

/** Members of the metadata document. Later plugins win. */
export const nodeMetadata = defineCollectHook<Record<string, never>, Readonly<Record<string, unknown>>>(
  'node:metadata',
);

/** A plugin's part of the greeting that the command line prints after a start. */
export interface GreetingPart {
  /** For a first start alone, each line with its label: their presence marks a first start. */
  readonly lines?: readonly (readonly [label: string, text: string])[];
  /** For any later start: a few words, such as where the first key lies. */
  readonly note?: string;
  /** Options of curl that give a credential, for the examples of a first start. */
  readonly curlOptions?: string;
  /** Examples of a first start: a title, and a shell command or an address to open, for the node at `base`. */
  examples?(base: string, curlOptions: string): readonly (readonly [title: string, example: string])[];
}

/**
 * Called when a user has started a node by hand, with `start` or `init`: once for all processes, and before they serve.
 * Programs that embed a node do not call it.
 */
export const nodeGreeting = defineCollectHook<Record<string, never>, GreetingPart>('node:greeting');

/**
 * Whether this process takes requests now. A throw, or a returned problem, keeps new ones away; the node stays healthy
 * and still serves. The text goes to the log, not to the caller.
 */
export const nodeReadiness = defineCollectHook<Record<string, never>, string>('node:readiness');

/** A throw, or a problem returned, makes the node unhealthy; the text goes to the log, not to the caller. */
export const nodeHealth = defineCollectHook<Record<string, never>, string>('node:health');
