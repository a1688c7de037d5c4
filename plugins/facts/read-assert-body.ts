import {
  type FactDraft,
  memberRefusal,
  parseInstant,
  readEntityUri,
  readFactValue,
  readRelation,
  SCOPES,
  type Scope,
} from '../../kernel/plugin-api.ts';
import { type Derivation, readDerivations } from './read-derivations.ts';

/** How far ahead of the node's clock a suggested timestamp may lie (wire contract 4.2). */
const MAX_TIMESTAMP_LEAD_MS = 300_000;

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
  /** Entity and source before they were trimmed: what an agent has signed. */
  readonly asSent: { readonly entity: string; readonly source: string };
}

/**
 * Reads the body of an assertion by the table of wire contract 4.2, in its order. Throws the first violation, 422 (413 for a value that is
 * too long); `path` names the body. Members that the node assigns, and unknown ones, are ignored.
 */
export const readAssertBody = (input: unknown, path: string, nowMs: number): AssertBody => {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) {
    throw memberRefusal(path, 'must be an object');
  }
  // Own members only, so that nothing is ever read off a prototype.
  const member = (name: string): unknown =>
    Object.hasOwn(input, name) ? (input as Readonly<Record<string, unknown>>)[name] : undefined;
  const required = (name: string): unknown => {
    const value = member(name);
    if (value === undefined) throw memberRefusal(`${path}.${name}`, 'is required');
    return value;
  };
  const sentEntity = required('entity');
  const entity = readEntityUri(sentEntity, `${path}.entity`);
  const relation = readRelation(required('relation'), `${path}.relation`);
  const sentSource = required('source');
  const source = readEntityUri(sentSource, `${path}.source`);
  const value = readFactValue(required('value'), `${path}.value`);
  const confidence = readConfidence(member('confidence'), `${path}.confidence`);
  const scope = readScope(member('scope'), `${path}.scope`);
  const validUntil = readInstant(member('valid_until'), `${path}.valid_until`);
  const timestamp = readTimestamp(member('timestamp'), `${path}.timestamp`, nowMs);
  return {
    draft: { entity, relation, value, source, confidence, scope, validUntil, timestamp },
    garden: readGarden(member('garden_id'), `${path}.garden_id`),
    writeMode: readWriteMode(member('write_mode'), `${path}.write_mode`),
    derivations: readDerivations(member('derived_from'), `${path}.derived_from`),
    attestation: readAttestation(member('attestation'), `${path}.attestation`),
    asSent: { entity: sentEntity as string, source: sentSource as string },
  };
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
  if (input === undefined || input === null) return null;
  if (typeof input === 'string' && parseInstant(input) !== null) return input;
  throw memberRefusal(path, 'must be an RFC 3339 date-time with offset');
};

const readTimestamp = (input: unknown, path: string, nowMs: number): string | null => {
  const timestamp = readInstant(input, path);
  if (timestamp !== null && (parseInstant(timestamp) as number) > nowMs + MAX_TIMESTAMP_LEAD_MS) {
    throw memberRefusal(path, `must not be more than ${MAX_TIMESTAMP_LEAD_MS / 1000} seconds in the future`);
  }
  return timestamp;
};

const readGarden = (input: unknown, path: string): string | null => {
  if (input === undefined || input === null) return null;
  if (typeof input !== 'string' || input.trim() === '')
    throw memberRefusal(path, 'must be the URI, id or slug of a garden');
  return input.trim();
};

const readWriteMode = (input: unknown, path: string): WriteMode => {
  if (input === undefined) return 'assert';
  if (input === 'assert' || input === 'summarize_with_provenance') return input;
  throw memberRefusal(path, 'must be assert or summarize_with_provenance');
};

const readAttestation = (input: unknown, path: string): Attestation | null => {
  if (input === undefined || input === null) return null;
  if (typeof input !== 'object' || Array.isArray(input)) throw memberRefusal(path, 'must be an object');
  const text = (name: string): string => {
    const value = Object.hasOwn(input, name) ? (input as Readonly<Record<string, unknown>>)[name] : undefined;
    if (typeof value !== 'string' || value === '') throw memberRefusal(`${path}.${name}`, 'must be a non-empty string');
    return value;
  };
  return { keyId: text('key_id'), signature: text('signature') };
};
