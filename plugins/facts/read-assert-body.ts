import {
  compileDeclared,
  FACT_VALUE_JSON,
  type FactDraft,
  memberRefusal,
  parseInstant,
  Refusals,
  readEntityUri,
  readFactValue,
  readRelation,
  refuseTimestamp,
  SCOPES,
  type Scope,
  ServiceError,
  schema,
} from '../../kernel/plugin-api.ts';
import { type Derivation, readDerivations } from './read-derivations.ts';

type WriteMode = 'assert' | 'summarize_with_provenance';

/** A signature of an agent over the assertion (wire contract 2.6). */
export interface Attestation {
  readonly keyId: string;
  readonly signature: string;
}

/** What the body of an assertion says, read and checked but not yet authorised. */
export interface AssertBody {
  readonly draft: FactDraft;
  /** References as they were written; the draft carries none before they are looked up. */
  readonly derivations: readonly Derivation[];
  /** The garden as it was named: URI, UUID or slug. */
  readonly garden: string | null;
  readonly writeMode: WriteMode;
  readonly attestation: Attestation | null;
  /** The session as the body names it beside the header, null where it does not. */
  readonly sessionId: string | null;
  /** Entity and source before they were trimmed: what an agent has signed. */
  readonly asSent: { readonly entity: string; readonly source: string };
}

/**
 * Members that the node assigns itself. Clients send back what they once got, and it has no effect (wire contract
 * 1.11).
 */
const WITHOUT_EFFECT = { id: {}, hlc: {}, cid: {}, attested: {}, received_from: {}, tenant_id: {} } as const;

/** What an assertion may hold. The reader below judges the contents, and names a code for each kind of violation. */
const undeclaredIn = compileDeclared(
  schema<object>({
    properties: {
      entity: {},
      relation: {},
      value: FACT_VALUE_JSON,
      source: {},
      confidence: {},
      scope: {},
      valid_until: {},
      timestamp: {},
      garden_id: {},
      write_mode: {},
      derived_from: { items: { properties: { fact_id: {}, hash: {} } } },
      attestation: { properties: { key_id: {}, signature: {} } },
      session_id: {},
      ...WITHOUT_EFFECT,
    },
  }),
);

/**
 * Reads the body of an assertion by the table of wire contract 4.2. Throws all that is wrong with it at once,
 * undeclared members among it: 422, or 413 for a value that is too long and nothing else. `path` names the body. Null
 * for an optional member means absent.
 */
export const readAssertBody = (input: unknown, path: string, nowMs: number): AssertBody => {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) {
    throw memberRefusal(path, 'must be an object');
  }
  const undeclared = undeclaredIn(input, path);
  if (undeclared.length === 0) {
    try {
      return readMembers(input, nowMs, (name, reader, isRequired) =>
        reader(memberOf(input, name, path, isRequired), `${path}.${name}`),
      );
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
    }
  }
  // Read once more, past the first violation: nearly all bodies are right, and pay nothing for the rest to be named.
  const refusals = new Refusals();
  refusals.add(undeclared);
  const body = readMembers(input, nowMs, (name, reader, isRequired) =>
    refusals.attempt(() => reader(memberOf(input, name, path, isRequired), `${path}.${name}`)),
  );
  refusals.settle();
  return body;
};

type ReadMember = <T>(name: string, reader: (value: unknown, path: string) => T, isRequired?: boolean) => T;

const readMembers = (input: object, nowMs: number, read: ReadMember): AssertBody => ({
  draft: {
    entity: read('entity', readEntityUri, true),
    relation: read('relation', readRelation, true),
    source: read('source', readEntityUri, true),
    value: read('value', readFactValue, true),
    confidence: read('confidence', readConfidence),
    scope: read('scope', readScope),
    validUntil: read('valid_until', readInstant),
    timestamp: read('timestamp', (value, path) => readTimestamp(value, path, nowMs)),
  },
  garden: read('garden_id', readGarden),
  writeMode: read('write_mode', readWriteMode),
  derivations: read('derived_from', readDerivations),
  attestation: read('attestation', readAttestation),
  sessionId: read('session_id', readSessionId),
  asSent: { entity: ownMember(input, 'entity') as string, source: ownMember(input, 'source') as string },
});

/** Own members only, so that nothing is ever read off a prototype. */
const ownMember = (input: object, name: string): unknown =>
  Object.hasOwn(input, name) ? (input as Readonly<Record<string, unknown>>)[name] : undefined;

const memberOf = (input: object, name: string, path: string, isRequired = false): unknown => {
  const value = ownMember(input, name);
  if (!isRequired) return value ?? undefined;
  if (value === undefined) throw memberRefusal(`${path}.${name}`, 'is required');
  return value;
};

const readConfidence = (input: unknown, path: string): number => {
  if (input === undefined) return 1;
  if (typeof input !== 'number' || !(input >= 0 && input <= 1))
    throw memberRefusal(path, 'must be a number between 0 and 1');
  // Adding zero makes one of the two zeros.
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

const readTimestamp = (input: unknown, path: string, nowMs: number): string | null => {
  const timestamp = readInstant(input, path);
  const refusal = refuseTimestamp(timestamp === null ? null : parseInstant(timestamp), nowMs, path);
  if (refusal !== null) throw refusal;
  return timestamp;
};

const readGarden = (input: unknown, path: string): string | null => {
  if (input === undefined) return null;
  if (typeof input !== 'string' || input.trim() === '')
    throw memberRefusal(path, 'must be the URI, id or slug of a garden');
  return input.trim();
};

const readSessionId = (input: unknown, path: string): string | null => {
  if (input === undefined) return null;
  if (typeof input !== 'string') throw memberRefusal(path, 'must be a string');
  return input.trim() === '' ? null : input.trim();
};

const readWriteMode = (input: unknown, path: string): WriteMode => {
  if (input === undefined) return 'assert';
  if (input === 'assert' || input === 'summarize_with_provenance') return input;
  throw memberRefusal(path, 'must be assert or summarize_with_provenance');
};

const readAttestation = (input: unknown, path: string): Attestation | null => {
  if (input === undefined) return null;
  if (typeof input !== 'object' || input === null || Array.isArray(input))
    throw memberRefusal(path, 'must be an object');
  const text = (name: string): string => {
    const value = Object.hasOwn(input, name) ? (input as Readonly<Record<string, unknown>>)[name] : undefined;
    if (typeof value !== 'string' || value === '') throw memberRefusal(`${path}.${name}`, 'must be a non-empty string');
    return value;
  };
  return { keyId: text('key_id'), signature: text('signature') };
};
