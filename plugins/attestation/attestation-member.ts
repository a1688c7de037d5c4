import { memberRefusal, type Notes, noted } from '../../kernel/plugin-api.ts';
import { defineAssertionMember } from '../facts/facts-api.ts';
import type { AttestationJson } from './attestation-api.ts';

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

export const noteOfAttestation = ({ key_id: keyId, signature }: AttestationJson): Notes =>
  noted(ATTESTATION.note, { keyId, signature });
