import type { Cover } from '../../../kernel/internal-api.ts';
import { BOOLEAN_JSON, defineErrorCode, defineFactMark } from '../../../kernel/plugin-api.ts';

export const NO_PERMITTED_SCOPES = defineErrorCode('no_permitted_scopes', {
  status: 403,
  summary: 'the peer may have facts of no scope',
});

/**
 * The mark of a peer's cover that ended only facts of that peer, because the peer lacks the grant to end other facts.
 */
export const NOT_GRANTED = defineFactMark<Cover['kind']>('not-granted', {
  summary: 'a retraction, resolution or replacement of a peer that may end only its own facts',
  members: { not_granted: { type: 'string', enum: ['retraction', 'resolution', 'replacement'] } },
  optional: ['not_granted'],
  toJson: (kind) => (kind === undefined ? {} : { not_granted: kind }),
});

/** The mark of a received fact that tells whether the origin named in the fact has signed it. Only admins see it. */
export const ORIGIN_VERIFIED = defineFactMark<boolean>('origin-verified', {
  summary: 'whether a received fact came with a good proof of its origin',
  members: { origin_verified: BOOLEAN_JSON },
  optional: ['origin_verified'],
  toJson: (isVerified) => (isVerified === undefined ? {} : { origin_verified: isVerified }),
});
