import { BOOLEAN_JSON, defineErrorCode, defineFactMark } from '../../../kernel/plugin-api.ts';

export const NO_PERMITTED_SCOPES = defineErrorCode('no_permitted_scopes', {
  status: 403,
  summary: 'the peer may have facts of no scope',
});

/**
 * Whether the node that a received fact names as its origin has signed it. Admins are told, of received facts alone.
 */
export const ORIGIN_VERIFIED = defineFactMark<boolean>('origin-verified', {
  summary: 'whether a received fact came with a good proof of its origin',
  members: { origin_verified: BOOLEAN_JSON },
  optional: ['origin_verified'],
  toJson: (isVerified) => (isVerified === undefined ? {} : { origin_verified: isVerified }),
});
