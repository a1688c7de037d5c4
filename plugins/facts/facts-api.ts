import {
  type AppendVerdict,
  type BodyItem,
  defineCollectHook,
  defineErrorCode,
  definePermission,
  defineRef,
  defineVocabulary,
  type FactPage,
  type FactReader,
  type FactSearch,
  type FactView,
  type Notes,
  type Principal,
  type Ref,
  type Scope,
  type ServiceError,
  type StoredFact,
  type Word,
} from '../../kernel/plugin-api.ts';
import { defineAuditEvent } from '../audit/audit-api.ts';
import type { Steadiness } from './kept-answers.ts';
import type { Derivations } from './walk-derivations.ts';

export { type FactPlace, referencesFor } from './derived-references.ts';
export { defineQueryMember, type QueryMember, QueryMembers } from './query-members.ts';
export { MAX_DERIVATIONS } from './read-derivations.ts';
export { createReadSession, type ReadSession, readSessionName, sessionHeader } from './read-session.ts';
export { ttlTarget } from './ttl-target.ts';
export type { DerivationEdge, DerivationNode, Derivations } from './walk-derivations.ts';

/** Remembers what a session has read, for the session guard. Does nothing while the guard is off. */
export interface SessionReads {
  /**
   * To be called with the facts of an answer before it is sent, by every route that returns facts to be worked with.
   * Resolves when what was read is durable. `sessionId` is the trimmed session header, null without one.
   */
  returned(sessionId: string | null, caller: Principal, views: readonly FactView[]): Promise<void>;
}

export const SessionReads = defineRef<SessionReads>('facts.session-reads');

/**
 * Note on a draft that sums up what it is derived from, as an assertion does in write mode `summarize_with_provenance`:
 * what the guard of sessions asks of a fact that goes where its session has read.
 */
export const SumsUp = defineRef<true>('facts.sums-up');

/**
 * Note on a draft that the node writes because a caller asked for it, by another right than that to assert: entity_uri
 * of the caller. Those who judge whom an entity belongs to judge the caller.
 */
export const AskedBy = defineRef<string>('facts.asked-by');

/** Guards answers against rows that were changed behind the node's back. */
export interface IntactFacts {
  /** The facts whose content id still matches; the others are left out, logged, and audited once. */
  keepIntact(views: readonly FactView[], caller: Principal): Promise<readonly FactView[]>;
  /** Throws `cid_mismatch` (409) when the content id of a fact no longer matches. */
  requireIntact(view: FactView): void;
}

export const IntactFacts = defineRef<IntactFacts>('facts.intact-facts');

/** Asserting a fact that agents read as an instruction. */
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

/** The body of an assertion as it was sent, before anything was trimmed. */
export type SentAssertion = Readonly<Record<string, unknown>>;

/**
 * A member that bodies of assertions may have because a plugin claims it. What it says is noted on the draft; the
 * plugin gives it effect in a handler of `append:read` or of a later phase, for every way of asserting.
 */
export interface AssertionMember<T = unknown> extends Word {
  /** JSON schema. Members of objects in it that it does not list are refused as unknown. */
  readonly schema: object;
  /**
   * Reads the member where it is present and not null. Throws a refusal that names `path`, or a path below it. No note
   * is made for undefined: the member says nothing then.
   */
  read(input: unknown, path: string, body: SentAssertion): T | undefined;
  /** Under which key the draft carries what was read: `noteOf(item.notes, MEMBER.note)`. */
  readonly note: Ref<T>;
}

export const AssertionMembers = defineVocabulary<AssertionMember>('member of an assertion', /^[a-z][a-z0-9_]*$/);

/**
 * Claims a member: `defineAssertionMember('ticket', { summary: '…', schema: {}, read: (input, path) => … })`. The
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

/** How a client asserts. */
export interface AssertOptions {
  /** The session that the facts belong to, trimmed; null or absent without one. */
  readonly sessionId?: string | null;
}

/** What was said to a request and will be said to its repetitions, byte for byte. */
export interface KeptAnswer {
  readonly status: number;
  readonly text: string;
}

/** Makes a request one that can be repeated: for a day, its key gets the answer that it got first. */
export interface Once<R> {
  /** 1 to 255 visible ASCII characters, else `bad_parameter`. */
  readonly key: string;
  /** What is asked for, by its route or its tool: under another name the same body is another request. */
  readonly request: string;
  /** Called inside the transaction that stores the facts. A refusal of everything is not kept. */
  answer(result: R): KeptAnswer;
}

export interface OnceForAll extends Once<readonly AppendVerdict[]> {
  /** A kept answer without what the caller may not write, and so not be told, any more. */
  withhold(answer: KeptAnswer, refusals: readonly (ServiceError | undefined)[]): KeptAnswer;
}

export interface OnceAnswer extends KeptAnswer {
  readonly isReplay: boolean;
}

/**
 * What callers may say. A body is that of `POST /v1/facts`; all its checks are made here and in the append, so that
 * every surface refuses alike.
 */
export interface Assertions {
  /** Stores one fact, or finds the one that it repeats. Rejects with the ServiceError that refuses it. */
  assert(
    caller: Principal,
    body: unknown,
    options?: AssertOptions,
  ): Promise<{ readonly view: FactView; readonly existing: boolean }>;
  /** The same for several facts in one transaction, judged in order, each with its own verdict. */
  assertAll(caller: Principal, bodies: readonly BodyItem[], options?: AssertOptions): Promise<readonly AppendVerdict[]>;
  /**
   * `assert`, or the answer that was kept. Rejects with `idempotency_mismatch` for a key of another request and with
   * `idempotency_in_progress` while the first is running; rights are asked for before either.
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
 * A query parameter that reads take because a plugin claims it. What it says lies in `ReadContext.notes`, for the
 * plugin's handlers of `read:constrain` and `read:annotate`.
 */
export interface ReadParameter<T = unknown> extends Word {
  /** JSON schema of one value; queries are text, so numbers and booleans are coerced. */
  readonly schema: object;
  /** Reads the value. Throws a refusal that names `path`; its status is 400. No note is made for undefined. */
  read(input: unknown, path: string): T | undefined;
  /** `noteOf(context.notes, PARAMETER.note)`. */
  readonly note: Ref<T>;
  /** Only `GET /v1/facts` takes it: it chooses among facts, and means nothing for one that is named. */
  readonly listsOnly?: true;
}

export const ReadParameters = defineVocabulary<ReadParameter>('parameter of reads', /^[a-z][a-z0-9_]*$/);

/**
 * Claims a parameter of `GET /v1/facts`, of a fact by id and of its provenance. The plugin lists it in `declares`. Give
 * a `note` where the kernel or another plugin reads what it says.
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

/** How a client reads. */
export interface ReadOptions {
  /** The session that remembers what it has read, trimmed; null or absent without one. */
  readonly sessionId?: string | null;
  /** What parameters of plugins say. */
  readonly notes?: Notes | undefined;
}

/** Which facts are asked for. Texts are those of the parameters of `GET /v1/facts`, and are read by the same rules. */
export interface FactQuestion {
  readonly entity?: string | undefined;
  readonly relation?: string | undefined;
  readonly source?: string | undefined;
  readonly scope?: Scope | undefined;
  /** By URI, UUID or slug. */
  readonly garden?: string | undefined;
  readonly minConfidence?: number | undefined;
  readonly attested?: boolean | undefined;
  /** Facts that the caller asserted in this session; of all who used its name, for an admin. */
  readonly session?: string | undefined;
  /** An instant or a stamp. */
  readonly after?: string | undefined;
  readonly includeContradicted?: boolean | undefined;
  readonly includeExpired?: boolean | undefined;
  readonly includeRetracted?: boolean | undefined;
}

export interface PageOptions extends ReadOptions {
  readonly limit: number;
  readonly position?: FactSearch['position'];
  /** Tells with the answer how long it holds. */
  readonly isKept?: boolean;
}

export interface FactAnswer extends FactPage {
  /** Members that plugins add to the answer. */
  readonly members: Readonly<Record<string, unknown>>;
  /** Absent unless it was asked for, and where nobody can tell. */
  readonly steadiness?: Steadiness | undefined;
}

/** What a handler of `query:answer` is told. */
export interface AnsweredQuery {
  readonly question: FactQuestion;
  readonly facts: readonly FactView[];
  /** Reads as the caller, from the snapshot of the answer. */
  readonly reader: FactReader;
  readonly notes: Notes | undefined;
}

/**
 * Once per page of `GET /v1/facts`: members for the answer, as `defineQueryMember` declares them, beside its own, which
 * stay. Later plugins win.
 */
export const queryAnswer = defineCollectHook<AnsweredQuery, Readonly<Record<string, unknown>>>('query:answer');

export interface Provenance extends Derivations {
  readonly root: StoredFact;
}

/** How a fact compares with its content id. */
export interface CidReport {
  readonly isStoredValid: boolean;
  /** The given content id, or the stored one, is that of the fact. */
  readonly isMatch: boolean;
  /** Null for a row so damaged that it has none. */
  readonly computed: string | null;
  readonly stored: string;
}

/** What callers may read of facts. Each needs the permission `read`. */
export interface Queries {
  /** Newest first. Rejects with `authorization` for a scope or garden that the caller may not read. */
  page(caller: Principal, question: FactQuestion, options: PageOptions): Promise<FactAnswer>;
  /**
   * By id, or the newest by `sha256:` and a content id. Rejects with `lookup` for an unknown fact and a hidden one
   * alike, and with `cid_mismatch` for one that was changed behind the node's back.
   */
  get(caller: Principal, reference: string, options?: ReadOptions): Promise<FactView>;
  /**
   * What the fact was derived from, at most `depth` levels far. Rejects with `authorization` where `get` says `lookup`.
   */
  provenance(caller: Principal, id: string, options: ReadOptions & { readonly depth: number }): Promise<Provenance>;
  verifyCid(caller: Principal, id: string, given?: string | null): Promise<CidReport>;
  /** Facts that the caller may see, and those of them without a content id. Needs the permission `admin`. */
  countWithoutCid(caller: Principal): Promise<{ readonly total: number; readonly pending: number }>;
}

export const Queries = defineRef<Queries>('facts.queries');
