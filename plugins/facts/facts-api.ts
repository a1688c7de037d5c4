import type { BodyItem, FactPage, FactSearch, Ref } from '../../kernel/internal-api.ts';
import {
  type AppendVerdict,
  defineCollectHook,
  defineErrorCode,
  definePermission,
  defineRef,
  defineVocabulary,
  type FactReader,
  type FactView,
  type Notes,
  type Principal,
  type ServiceError,
  type StoredFact,
  type Word,
} from '../../kernel/plugin-api.ts';
import { defineAuditEvent } from '../audit/audit-api.ts';
import type { AnswerLifetime } from './answer-cache.ts';
import type { FactQuestion } from './fact-question.ts';
import type { Derivations } from './walk-derivations.ts';

export { type FactPlace, referencesFor } from './derived-references.ts';
export {
  type FactNarrowing,
  LISTED_FIELDS,
  NARROWING_LISTS,
  type Narrowed,
  type NarrowingList,
  narrowingFilter,
  readNarrowing,
  unfitFor,
} from './fact-narrowing.ts';
export type { FactQuestion } from './fact-question.ts';
export { NARROWING_BODY, NARROWING_QUERY, narrowingOf, type RawNarrowing } from './narrowing-json.ts';
export { defineQueryMember, type QueryMember, QueryMembers } from './query-members.ts';
export { MAX_DERIVATIONS } from './read-derivations.ts';
export { createReadSession, type ReadSession, readSessionName, sessionHeader } from './read-session.ts';
export { ttlTarget } from './ttl-target.ts';
export type { DerivationEdge, DerivationNode, Derivations } from './walk-derivations.ts';

/** Records the scopes that a session has read, for the session guard. Does nothing while the guard is off. */
export interface SessionReads {
  /**
   * Records that a session has read these facts; routes call it before they reply. Resolves once the reads are durable.
   * `sessionId` is the trimmed session header, or null.
   */
  returned(sessionId: string | null, caller: Principal, views: readonly FactView[]): Promise<void>;
}

export const SessionReads = defineRef<SessionReads>('facts.session-reads');

/**
 * A note on a draft that declares it a summary of its source facts: write mode `summarize_with_provenance`. The session
 * guard requires it for a fact in a scope that its session has read.
 */
export const SummaryNote = defineRef<true>('facts.summary');

/**
 * A note on a draft that the node writes for a caller under another right than asserting. It holds the caller's
 * entity_uri. Checks of who may write about an entity apply to that caller.
 */
export const RequesterNote = defineRef<string>('facts.requester');

/** Detects facts whose rows were changed directly in the store, past this node. */
export interface IntactFacts {
  /** Returns the facts that are whole and match their content ids. Logs, counts and audits each damaged fact once. */
  keepIntact(views: readonly FactView[], caller: Principal): Promise<readonly FactView[]>;
  /**
   * Throws `cid_mismatch` (409) for a damaged fact, and for one that no longer matches its content id. Throws
   * `not_found` (404) for an erased one.
   */
  requireIntact(view: FactView): void;
}

export const IntactFacts = defineRef<IntactFacts>('facts.intact-facts');

/** The permission to assert a fact that agents read as an instruction. */
export const INSTRUCTION_WRITE = definePermission('instruction:write', {
  summary: 'assert facts that agents read as instructions',
});

export const INSTRUCTION_WRITE_REQUIRED = defineErrorCode('instruction_write_required', {
  status: 403,
  summary: 'the key may not assert instructions',
});

export const FEDERATION_INTEGRITY_REJECTED = defineAuditEvent('federation_integrity_rejected', {
  summary: 'a fact, stored or brought by a peer, does not fit its content id or its proof',
});

/** The body of an assertion as received, before any text is trimmed. */
export type SentAssertion = Readonly<Record<string, unknown>>;

/**
 * A member of assertion bodies that a plugin defines. The value that it reads becomes a note on the draft. The plugin
 * applies the note in a handler of `append:read` or a later phase, so that it works for every way of asserting.
 */
export interface AssertionMember<T = unknown> extends Word {
  /** The JSON schema of the member. The reader refuses undeclared members of its objects. */
  readonly schema: object;
  /**
   * Reads the member if it is present and not null. Throws a refusal that names `path` or below; undefined adds no
   * note.
   */
  read(input: unknown, path: string, body: SentAssertion): T | undefined;
  /** The key of the note on the draft: `noteOf(item.notes, MEMBER.note)`. */
  readonly note: Ref<T>;
}

export const AssertionMembers = defineVocabulary<AssertionMember>('member of an assertion', /^[a-z][a-z0-9_]*$/);

/**
 * Defines a member: `defineAssertionMember('ticket', { summary: '…', schema: {}, read: (input, path) => … })`. The
 * plugin lists it in `declares`.
 */
export const defineAssertionMember = <T>(
  id: string,
  definition: Pick<AssertionMember<T>, 'summary' | 'schema' | 'read'> & { readonly note?: Ref<T> },
): AssertionMember<T> => {
  const { summary, schema, read, note = defineRef<T>(`assertion.${id}`) } = definition;
  return AssertionMembers.define(id, {
    summary,
    schema,
    read,
    note: note as Ref<unknown>,
  }) as Word as AssertionMember<T>;
};

export interface AssertOptions {
  /** The trimmed name of the session that the facts belong to; null or absent without a session. */
  readonly sessionId?: string | null;
}

/** The recorded reply to a request. Repeated requests get the same bytes. */
export interface RecordedAnswer {
  readonly status: number;
  readonly text: string;
}

/** Makes a request repeatable: for a day, the same key returns the first answer. */
export interface Once<R> {
  /** The idempotency key: 1 to 255 visible ASCII characters, otherwise `bad_parameter`. */
  readonly key: string;
  /** The name of the route or tool. The same body under another name counts as another request. */
  readonly request: string;
  /** Returns the answer to record, inside the storing transaction. If all facts are refused, none is recorded. */
  answer(result: R): RecordedAnswer;
}

export interface OnceForAll extends Once<readonly AppendVerdict[]> {
  /** Removes the parts of a recorded answer that the caller may no longer write, and so may no longer see. */
  withhold(answer: RecordedAnswer, refusals: readonly (ServiceError | undefined)[]): RecordedAnswer;
}

export interface OnceAnswer extends RecordedAnswer {
  readonly isReplay: boolean;
}

/**
 * Stores assertions of callers. A body has the form of `POST /v1/facts`. Reading and appending make all checks, so that
 * the API and every tool refuse the same assertions.
 */
export interface Assertions {
  /** Stores one fact, or returns the stored fact that it repeats. Rejects with a ServiceError if it is refused. */
  assert(
    caller: Principal,
    body: unknown,
    options?: AssertOptions,
  ): Promise<{ readonly view: FactView; readonly existing: boolean }>;
  /** Stores several facts in one transaction. Checks them in order and returns a result for each. */
  assertAll(caller: Principal, bodies: readonly BodyItem[], options?: AssertOptions): Promise<readonly AppendVerdict[]>;
  /** Returns the results of `assertAll`, and stores nothing. The ids of the facts in the results are not kept. */
  rehearseAll(
    caller: Principal,
    bodies: readonly BodyItem[],
    options?: AssertOptions,
  ): Promise<readonly AppendVerdict[]>;
  /**
   * Works as `assert`, but returns the recorded answer for a repeated key. Rejects with `idempotency_mismatch` if
   * another request used the key, and with `idempotency_in_progress` while the first one runs. Checks the caller's
   * rights before both.
   */
  assertOnce(caller: Principal, body: unknown, once: Once<FactView>, options?: AssertOptions): Promise<OnceAnswer>;
  assertAllOnce(
    caller: Principal,
    bodies: readonly BodyItem[],
    once: OnceForAll,
    options?: AssertOptions,
  ): Promise<OnceAnswer>;
}

export const Assertions = defineRef<Assertions>('facts.assertions');

/**
 * A query parameter of reads that a plugin defines. Its value becomes a note in `ReadContext.notes`, for the plugin's
 * handlers of `read:constrain` and `read:annotate`.
 */
export interface ReadParameter<T = unknown> extends Word {
  /** The JSON schema of one value. Query values are text, so numbers and booleans are coerced. */
  readonly schema: object;
  /** Reads the value. Throws a refusal that names `path`, with status 400. Adds no note if it returns undefined. */
  read(input: unknown, path: string): T | undefined;
  /** The key of the note: `noteOf(context.notes, PARAMETER.note)`. */
  readonly note: Ref<T>;
  /** True if only `GET /v1/facts` accepts the parameter, because it filters facts. */
  readonly listsOnly?: true;
}

export const ReadParameters = defineVocabulary<ReadParameter>('parameter of reads', /^[a-z][a-z0-9_]*$/);

/**
 * Defines a parameter of `GET /v1/facts`, of a fact by id, and of its provenance. The plugin lists it in `declares`. A
 * `note` is needed only if the kernel or another plugin reads the value.
 */
export const defineReadParameter = <T>(
  id: string,
  definition: Pick<ReadParameter<T>, 'summary' | 'schema' | 'read' | 'listsOnly'> & { readonly note?: Ref<T> },
): ReadParameter<T> => {
  const { summary, schema, read, listsOnly, note = defineRef<T>(`read.${id}`) } = definition;
  return ReadParameters.define(id, {
    summary,
    schema,
    read,
    note: note as Ref<unknown>,
    ...(listsOnly === true && { listsOnly }),
  }) as Word as ReadParameter<T>;
};

export interface ReadOptions {
  /** The trimmed name of the session that records these reads; null or absent without a session. */
  readonly sessionId?: string | null;
  /** The values of the query parameters that plugins define. */
  readonly notes?: Notes | undefined;
}

export interface PageOptions extends ReadOptions {
  readonly limit: number;
  readonly position?: FactSearch['position'];
  /** True to also get the time span in which the answer stays valid. */
  readonly withLifetime?: boolean;
}

export interface FactAnswer extends FactPage {
  /** The members that plugins add to the answer. */
  readonly members: Readonly<Record<string, unknown>>;
  /** Undefined if it was not requested, or if the answer's lifetime is unknown. */
  readonly lifetime?: AnswerLifetime | undefined;
}

/** The input of a `query:answer` handler. */
export interface AnsweredQuery {
  readonly question: FactQuestion;
  readonly facts: readonly FactView[];
  /** Reads facts with the caller's rights, from the snapshot of the answer. */
  readonly reader: FactReader;
  readonly notes: Notes | undefined;
}

/**
 * Runs once per page of `GET /v1/facts`. Handlers return members to add to the answer, as declared by
 * `defineQueryMember`. They cannot replace the answer's own members. If two plugins set a member, the later one wins.
 */
export const queryAnswer = defineCollectHook<AnsweredQuery, Readonly<Record<string, unknown>>>('query:answer');

export interface Provenance extends Derivations {
  readonly root: StoredFact;
}

export interface CidReport {
  readonly isStoredValid: boolean;
  /** True if the given content id matches the fact; without a given id, if the stored one does. */
  readonly isMatch: boolean;
  /** The content id computed from the row; null if the row is too damaged to compute one. */
  readonly computed: string | null;
  readonly stored: string;
}

/** Reads facts with the rights of a caller. Each method needs the permission `read`. */
export interface Queries {
  /** Returns facts, newest first. Rejects with `authorization` for a scope or garden that the caller may not read. */
  page(caller: Principal, question: FactQuestion, options: PageOptions): Promise<FactAnswer>;
  /**
   * Finds a fact by id, or the newest one for `sha256:` and a content id. Rejects with `lookup` for an unknown or
   * hidden fact. Rejects with `cid_mismatch` if its row was changed directly in the store.
   */
  get(caller: Principal, reference: string, options?: ReadOptions): Promise<FactView>;
  /**
   * Walks the source facts, for at most `depth` levels. Rejects with `authorization` where `get` rejects with `lookup`.
   */
  provenance(caller: Principal, id: string, options: ReadOptions & { readonly depth: number }): Promise<Provenance>;
  verifyCid(caller: Principal, id: string, given?: string | null): Promise<CidReport>;
  /** Counts the facts that the caller may see, and those without a content id. Needs the permission `admin`. */
  countWithoutCid(caller: Principal): Promise<{ readonly total: number; readonly pending: number }>;
}

export const Queries = defineRef<Queries>('facts.queries');
