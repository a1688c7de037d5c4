import { defineErrorCode, defineRef, memberRefusal, type Notes, noted, ServiceError } from '../../kernel/plugin-api.ts';
import { defineAssertionMember } from '../facts/facts-api.ts';

/** The member `attestation` of a request: the agent key and its signature over the assertion. */
export interface AttestationJson {
  readonly key_id: string;
  readonly signature: string;
}

/** JSON schema of the member. */
export const ATTESTATION_JSON = {
  type: ['object', 'null'],
  required: ['key_id', 'signature'],
  properties: { key_id: { type: 'string', minLength: 1 }, signature: { type: 'string', minLength: 1 } },
} as const;

/** The signature of a draft, which the append verifies. */
export interface Attestation {
  readonly keyId: string;
  /** base64url without padding. */
  readonly signature: string;
  /** The entity as the caller sent it, if the draft has another text. */
  readonly entity?: string;
  readonly source?: string;
}

/**
 * The member `attestation` of assertions. The append verifies its note before the transaction, for the drafts of every
 * plugin.
 */
export const ATTESTATION = defineAssertionMember<Attestation>('attestation', {
  summary: 'signature of an agent key over the assertion as it is sent',
  schema: {
    type: ['object', 'null'],
    properties: { key_id: { type: 'string' }, signature: { type: 'string' } },
    required: ['key_id', 'signature'],
  },
  read(input, path, { entity, source }) {
    if (typeof input !== 'object' || input === null || Array.isArray(input)) {
      throw memberRefusal(path, 'must be an object');
    }
    const text = (name: string): string => {
      const value = Object.hasOwn(input, name) ? (input as Readonly<Record<string, unknown>>)[name] : undefined;
      if (typeof value === 'string' && value !== '') return value;
      throw memberRefusal(`${path}.${name}`, 'must be a non-empty string');
    };
    return {
      keyId: text('key_id'),
      signature: text('signature'),
      entity: String(entity),
      source: String(source),
    };
  },
});

/** Accepts signatures from other places than the body of an assertion. */
export interface Attestations {
  /** Returns the note for a draft with the caller's signature over it. The append verifies the note. */
  notesOf(attestation: AttestationJson): Notes;
}

export const Attestations = defineRef<Attestations>('attestation.attestations');

/**
 * Returns the note for a draft with the caller's signature over it, or no note without a signature. Throws
 * `attestation_invalid` if no plugin verifies signatures.
 */
export const attestationNotes = (
  attestations: Attestations | undefined,
  attestation: AttestationJson | null | undefined,
): Notes => {
  if (attestation == null) return new Map();
  if (attestations === undefined) {
    throw new ServiceError(ATTESTATION_INVALID, 'this node verifies no signatures: send the request without one');
  }
  return attestations.notesOf(attestation);
};

export const noteOfAttestation = ({ key_id: keyId, signature }: AttestationJson): Notes =>
  noted(ATTESTATION.note, { keyId, signature });

/**
 * Note on a draft that repeats another entity's fact, such as a promotion out of quarantine. The author stays its
 * source, and no mode of source attestation refuses it for that.
 */
export const KeepsSource = defineRef<true>('attestation.keeps-source');

export const ATTESTATION_INVALID = defineErrorCode('attestation_invalid', {
  status: 422,
  summary: 'the signature of the assertion is not valid',
});
