import {
  type AppendVerdict,
  type BodyItem,
  definePermission,
  defineRef,
  defineVocabulary,
  type FactView,
  type Principal,
  type Ref,
  type ServiceError,
  type Word,
} from '../../kernel/plugin-api.ts';

/** Remembers what a session has read, for the guard of wire contract 2.5. Does nothing while the guard is off. */
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

/** Guards answers against rows that were changed behind the node's back (wire contract 4.8). */
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
