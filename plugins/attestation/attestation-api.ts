import { defineRef, type Notes, ServiceError } from '../../kernel/plugin-api.ts';
import { ATTESTATION_INVALID } from './attestation-words.ts';

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

/**
 * A note on a draft that repeats another entity's fact, such as a promotion out of quarantine. The source stays the
 * original author, and source attestation does not refuse the draft for that.
 */
export const KeepsSource = defineRef<true>('attestation.keeps-source');
