import {
  FACT_VALUE_JSON,
  type Ref,
  readFactValue,
  readRelation,
  refuseBeginning,
  refuseTimestamp,
} from '../../kernel/internal-api.ts';
import {
  compileDeclared,
  defineRef,
  type FactDraft,
  memberRefusal,
  type Notes,
  noted,
  parseInstant,
  Refusals,
  readEntityUri,
  SCOPES,
  type Scope,
  ServiceError,
  type ServiceNames,
  schema,
} from '../../kernel/plugin-api.ts';
import { MAY_BE_NULL, OWN_MEMBERS, REQUIRED_MEMBERS } from './assertion-schema.ts';
import { type AssertionMember, AssertionMembers, type SentAssertion } from './facts-api.ts';

/**
 * A note on every draft that comes from an assertion body. Only such facts are compared with stored ones, because a
 * resolution that equals an old fact must still be stored.
 */
export const AssertionNote = defineRef<true>('facts.assertion');

export interface ReadContext {
  readonly nowMs: number;
  /** The session name from the header; null without one. */
  readonly sessionId: string | null;
}

/**
 * Reads the body of an assertion. Throws one error with all violations, undeclared members included. Its status is 422,
 * or 413 if the only violation is a value that is too long. `path` names the body. Null for an optional member means
 * absent.
 */
export type ReadAssertion = (input: unknown, path: string, context: ReadContext) => FactDraft;

/** Reserves the built-in members of an assertion, so that plugins cannot define them. */
export const RESERVED_MEMBERS = Object.keys(OWN_MEMBERS).map((name) => AssertionMembers.reserve(name));

const ONLY_ASSERTED = noted(AssertionNote, true);

/** Creates the reader of assertion bodies. `claimed` lists the members that plugins define. */
export const createReadAssertion = (claimed: readonly AssertionMember[], names: ServiceNames): ReadAssertion => {
  const undeclaredIn = compileDeclared(
    schema<object>({
      properties: {
        ...OWN_MEMBERS,
        value: FACT_VALUE_JSON,
        ...Object.fromEntries(claimed.map(({ id, schema }) => [id, schema])),
      },
      required: REQUIRED_MEMBERS,
    }),
  );
  const unclaimed = MAY_BE_NULL.filter((name) => !claimed.some(({ id }) => id === name));
  return (input, path, context) => {
    if (typeof input !== 'object' || input === null || Array.isArray(input)) {
      throw memberRefusal(path, 'must be an object');
    }
    const body = input as Record<string, unknown>;
    for (const name of unclaimed) if (body[name] === null) delete body[name];
    const reading = { claimed, body, path, ...context };
    const undeclared = undeclaredIn(body, path);
    const draft = undeclared.length === 0 ? readValid(reading) : undefined;
    if (draft !== undefined) {
      requireSession(reading, names);
      return draft;
    }
    // Reads an invalid body a second time to list every violation, so that valid bodies pay nothing for that.
    const refusals = new Refusals();
    refusals.add(undeclared);
    readMembers(reading, (name, reader, isRequired) =>
      refusals.attempt(() => reader(memberOf(body, name, path, isRequired), `${path}.${name}`)),
    );
    refusals.settle();
    throw new Error('an assertion was refused and then found right');
  };
};

interface Reading extends ReadContext {
  readonly claimed: readonly AssertionMember[];
  readonly body: SentAssertion;
  readonly path: string;
}

type ReadMember = <T>(name: string, reader: (value: unknown, path: string) => T, isRequired?: boolean) => T;

const readValid = (reading: Reading): FactDraft | undefined => {
  const { body, path } = reading;
  try {
    return readMembers(reading, (name, reader, isRequired) =>
      reader(memberOf(body, name, path, isRequired), `${path}.${name}`),
    );
  } catch (error) {
    if (error instanceof ServiceError) return undefined;
    throw error;
  }
};

const readMembers = ({ claimed, body, nowMs, sessionId, path }: Reading, read: ReadMember): FactDraft => {
  const draft: FactDraft = {
    entity: read('entity', readEntityUri, true),
    relation: read('relation', readRelation, true),
    source: read('source', readEntityUri, true),
    value: read('value', readFactValue, true),
    confidence: read('confidence', readConfidence),
    scope: read('scope', readScope),
    validFrom: read('valid_from', readInstant),
    validUntil: read('valid_until', readInstant),
    timestamp: read('timestamp', (value, at) => readTimestamp(value, at, nowMs)),
    notes: readClaimed(claimed, body, read),
    sessionId,
    path,
  };
  read('session_id', readSessionId);
  read('valid_from', (_, at) => requireSpan(draft, at));
  return draft;
};

/** Reads the members that plugins define. Most assertions hold none, and share one empty object. */
const readClaimed = (claimed: readonly AssertionMember[], body: SentAssertion, read: ReadMember): Notes => {
  let notes: Map<Ref<unknown>, unknown> | undefined;
  for (const member of claimed) {
    if (ownMember(body, member.id) == null) continue;
    const note = read(member.id, (value, path) => member.read(value, path, body));
    if (note === undefined) continue;
    notes ??= new Map(ONLY_ASSERTED);
    notes.set(member.note, note);
  }
  return notes ?? ONLY_ASSERTED;
};

/**
 * The header names the session. A body that names another one is refused, because its fact would join a session that it
 * did not request.
 */
const requireSession = ({ body, path, sessionId }: Reading, names: ServiceNames): void => {
  const named = readSessionId(ownMember(body, 'session_id') ?? undefined, path);
  if (named === null || named === sessionId) return;
  throw memberRefusal(`${path}.session_id`, `must be the same as the header ${names.headers.session}`);
};

/** Reads own properties only, never inherited ones. */
const ownMember = (body: SentAssertion, name: string): unknown => (Object.hasOwn(body, name) ? body[name] : undefined);

const memberOf = (body: SentAssertion, name: string, path: string, isRequired = false): unknown => {
  const value = ownMember(body, name);
  if (!isRequired) return value ?? undefined;
  if (value === undefined) throw memberRefusal(`${path}.${name}`, 'is required');
  return value;
};

const readConfidence = (input: unknown, path: string): number => {
  if (input === undefined) return 1;
  if (typeof input !== 'number' || !(input >= 0 && input <= 1))
    throw memberRefusal(path, 'must be a number between 0 and 1');
  // Adds zero, because that turns minus zero into zero.
  return input + 0;
};

const readScope = (input: unknown, path: string): Scope => {
  if (input === undefined) return 'local';
  const scope = SCOPES.find((known) => known === input);
  if (scope === undefined) throw memberRefusal(path, `must be one of ${SCOPES.join(', ')}`);
  return scope;
};

const readInstant = (input: unknown, path: string): string | null => {
  if (input === undefined) return null;
  if (typeof input === 'string' && parseInstant(input) !== null) return input;
  throw memberRefusal(path, 'must be an RFC 3339 date-time with offset');
};

const requireSpan = (draft: FactDraft, path: string): void => {
  const refusal = refuseBeginning(draft, path);
  if (refusal !== null) throw refusal;
};

/** Reads the timestamp, and reports one in the future together with the body's other violations. */
const readTimestamp = (input: unknown, path: string, nowMs: number): string | null => {
  const timestamp = readInstant(input, path);
  const refusal = timestamp === null ? null : refuseTimestamp(parseInstant(timestamp), nowMs, path);
  if (refusal !== null) throw refusal;
  return timestamp;
};

const readSessionId = (input: unknown, path: string): string | null => {
  if (input === undefined) return null;
  if (typeof input !== 'string') throw memberRefusal(path, 'must be a string');
  return input.trim() === '' ? null : input.trim();
};
