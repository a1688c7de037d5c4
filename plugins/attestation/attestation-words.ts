import { defineErrorCode } from '../../kernel/plugin-api.ts';

export const ATTESTATION_INVALID = defineErrorCode('attestation_invalid', {
  status: 422,
  summary: 'the signature of the assertion is not valid',
});

export const SOURCE_ATTESTATION_FAILED = defineErrorCode('source_attestation_failed', {
  status: 403,
  summary: 'the source is not the entity of the key',
});

export const ATTESTATION_REQUIRED = defineErrorCode('attestation_required', {
  status: 422,
  summary: 'the node accepts signed assertions only',
});
