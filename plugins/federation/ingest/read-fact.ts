import {
  contentId,
  MAX_REPLACED,
  parseHlc,
  readFactValue,
  readRelation,
  refuseBeginning,
  valueBytesOf,
} from '../../../kernel/internal-api.ts';
import {
  type FactValue,
  parseInstant,
  readEntityUri,
  SCOPES,
  type Scope,
  ServiceError,
} from '../../../kernel/plugin-api.ts';
import type { FederatedFact, OriginProof } from '../proofs/origin-proof.ts';
import type { Rejection } from './ingest.ts';
import { isSevenMemberCid } from './seven-member-cid.ts';

/** A well-formed fact of a peer, or the reason for its rejection. `factId` is empty if no id can be read. */
export type ReadFact =
  | { readonly fact: FederatedFact; readonly cidFits: boolean; readonly isInGarden: boolean }
  | { readonly factId: string; readonly error: Rejection };

export interface ReadOptions {
  /** The maximum size of a fact, equal to that of a client's assertion. */
  readonly maxBytes: number;
  /** True to accept content ids of an older form as well. */
  readonly toleratesOldCid: boolean;
}

const FACT_ID = /^[\x21-\x7e]{1,128}$/;
const MAX_STAMP_LENGTH = 32;
/** The maximum number of references, equal to that of assertions. */
const MAX_REFERENCES = 100;
const REFERENCE = /^sha256:[0-9a-f]{64}$/;
const CID = /^sha256:[0-9a-f]{64}$/;
const KEY_ID = /^[0-9a-f]{16}$/;
const MAX_PROOF_TEXT = 256;

/**
 * Reads a fact as a peer sent it, without trimming or completing it, because a changed fact could not be relayed with
 * its signature. Ignores unknown members.
 */
export const readFact = (input: unknown, options: ReadOptions): ReadFact => {
  const factId = readFactId(input);
  try {
    const sent = input as Readonly<Record<string, unknown>>;
    if (factId === '') return { factId, error: 'invalid_fact' };
    const draft = readDraft(sent, factId);
    if (refuseBeginning(draft, 'valid_from') !== null) return { factId, error: 'invalid_fact' };
    if (sizeOf(draft) > options.maxBytes) return { factId, error: 'invalid_fact' };
    const proof = readProof(member(sent, 'origin_proof'));
    if (proof === undefined) return { factId, error: 'invalid_origin_proof' };
    const originNodeId = readOptional(sent, 'origin_node_id', (text) => readUnchanged(text, readEntityUri));
    return {
      fact: { draft, originNodeId, proof },
      cidFits: cidFits(member(sent, 'cid'), draft, options.toleratesOldCid),
      isInGarden: member(sent, 'garden_id') !== null,
    };
  } catch (error) {
    if (error instanceof ServiceError) return { factId, error: 'invalid_fact' };
    throw error;
  }
};

type Draft = FederatedFact['draft'];

const readFactId = (input: unknown): string => {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return '';
  const id = member(input as Readonly<Record<string, unknown>>, 'id');
  return typeof id === 'string' && FACT_ID.test(id) ? id : '';
};

/** Reads own properties only, never inherited ones. An absent member counts as null. */
const member = (sent: Readonly<Record<string, unknown>>, name: string): unknown =>
  Object.hasOwn(sent, name) ? (sent[name] ?? null) : null;

const malformed = (name: string): ServiceError => new ServiceError('validation', `the member ${name} is malformed`);

const readUnchanged = (input: unknown, read: (input: unknown, path: string) => string): string => {
  const text = read(input, 'fact');
  if (text !== input) throw malformed('of the fact');
  return text;
};

const readOptional = <T>(
  sent: Readonly<Record<string, unknown>>,
  name: string,
  read: (value: unknown) => T,
): T | null => {
  const value = member(sent, name);
  return value === null ? null : read(value);
};

const readDraft = (sent: Readonly<Record<string, unknown>>, id: string): Draft => ({
  id,
  entity: readUnchanged(member(sent, 'entity'), readEntityUri),
  relation: readUnchanged(member(sent, 'relation'), readRelation),
  value: readValue(member(sent, 'value')),
  source: readUnchanged(member(sent, 'source'), readEntityUri),
  confidence: readConfidence(member(sent, 'confidence')),
  scope: readScope(member(sent, 'scope')),
  timestamp: readInstant(member(sent, 'timestamp')),
  validFrom: readOptional(sent, 'valid_from', readInstant),
  validUntil: readOptional(sent, 'valid_until', readInstant),
  derivedFrom: readOptional(sent, 'derived_from', readReferences) ?? NO_REFERENCES,
  replaces: readOptional(sent, 'replaces', readNames) ?? NO_REFERENCES,
  hlcText: readStamp(member(sent, 'hlc')),
});

const NO_REFERENCES: readonly string[] = Object.freeze([]);

/** Reads the value of a fact. Null for `interpret_as` means absent. */
const readValue = (input: unknown): FactValue => readFactValue(input, 'value');

const readConfidence = (input: unknown): number => {
  if (typeof input !== 'number' || !(input >= 0 && input <= 1)) throw malformed('confidence');
  // Adds zero, because that turns minus zero into zero.
  return input + 0;
};

const readScope = (input: unknown): Scope => {
  const scope = SCOPES.find((known) => known === input);
  if (scope === undefined) throw malformed('scope');
  return scope;
};

const readInstant = (input: unknown): string => {
  if (typeof input === 'string' && parseInstant(input) !== null) return input;
  throw malformed('with an instant');
};

const readStamp = (input: unknown): string => {
  if (typeof input === 'string' && input.length <= MAX_STAMP_LENGTH && parseHlc(input) !== null) return input;
  throw malformed('hlc');
};

const readReferences = (input: unknown): readonly string[] => {
  if (!Array.isArray(input) || input.length > MAX_REFERENCES) throw malformed('derived_from');
  for (const reference of input) {
    if (typeof reference !== 'string' || !REFERENCE.test(reference)) throw malformed('derived_from');
  }
  return input as readonly string[];
};

/**
 * Reads the names of the facts that a fact ends. Each name is an id; if the named fact has another origin, a space and
 * the node id of that origin follow.
 */
const readNames = (input: unknown): readonly string[] => {
  if (!Array.isArray(input) || input.length > MAX_REPLACED || new Set(input).size < input.length) {
    throw malformed('replaces');
  }
  for (const name of input) {
    if (typeof name !== 'string') throw malformed('replaces');
    const end = name.indexOf(' ');
    if (!FACT_ID.test(end < 0 ? name : name.slice(0, end))) throw malformed('replaces');
    if (end >= 0) readUnchanged(name.slice(end + 1), readEntityUri);
  }
  return input;
};

/** Reads the origin proof. Returns null for an absent proof, and undefined for a malformed one. */
const readProof = (input: unknown): OriginProof | null | undefined => {
  if (input === null) return null;
  if (typeof input !== 'object' || Array.isArray(input)) return undefined;
  const sent = input as Readonly<Record<string, unknown>>;
  const text = (name: string): string | undefined => {
    const value = member(sent, name);
    return typeof value === 'string' && value.length <= MAX_PROOF_TEXT ? value : undefined;
  };
  const [keyId, salt, refsSalt, signature] = [text('key_id'), text('salt'), text('refs_salt'), text('signature')];
  if (keyId === undefined || !KEY_ID.test(keyId)) return undefined;
  if (salt === undefined || refsSalt === undefined || signature === undefined) return undefined;
  return { keyId, salt, refsSalt, signature };
};

const cidFits = (sent: unknown, draft: Draft, toleratesOld: boolean): boolean => {
  if (sent === null) return true;
  if (typeof sent !== 'string' || !CID.test(sent)) return false;
  return sent === contentId(draft) || (toleratesOld && isSevenMemberCid(sent, draft));
};

/**
 * Returns the size of the value and of all names, including those in `replaces`. References and stamps need not be
 * counted, because their format limits their length.
 */
const sizeOf = (draft: Draft): number => {
  const { entity, relation, source, replaces = [] } = draft;
  return valueBytesOf([draft]) + Buffer.byteLength(entity + relation + source + replaces.join(''));
};
