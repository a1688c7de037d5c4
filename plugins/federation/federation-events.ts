import { defineAuditEvent } from '../audit/audit-api.ts';

/** Events of the federation log. */

export const REJECTED_FACT = defineAuditEvent('rejected_fact', { summary: 'a fact of a peer was not stored' });
export const REJECTED_TOKEN = defineAuditEvent('rejected_token', { summary: 'a peer token was refused' });
export const SCOPE_VIOLATION = defineAuditEvent('scope_violation', {
  summary: 'a peer asked for, or brought, facts of a scope that is not granted',
});
export const REPLAY_ATTEMPT = defineAuditEvent('replay_attempt', { summary: 'a peer token came a second time' });
export const PEER_APPROVED = defineAuditEvent('peer_approved', { summary: 'a peering became active' });
export const PEER_APPROVAL_FAILED = defineAuditEvent('peer_approval_failed', {
  summary: 'a declaration of a peer was refused',
});
export const PEER_REVOKED = defineAuditEvent('peer_revoked', { summary: 'a peering was revoked' });
export const ID_COLLISION = defineAuditEvent('id_collision', {
  summary: 'a peer brought another fact under an id that its origin, or another node by a proof, has used',
});
export const VALID_UNTIL_EXTENSION_REJECTED = defineAuditEvent('federation_valid_until_extension_rejected', {
  summary: 'a peer sent a stored fact with a wider validity; the node kept the stored validity',
});
export const PEER_HLC_ANOMALY = defineAuditEvent('peer_hlc_anomaly', {
  summary: 'a fact of a peer has a stamp too far ahead of the clock',
});

/** Events that the node's audit log records as well, with general names that other plugins could use too. */

export const FEDERATION_CONNECT = defineAuditEvent('federation_connect', {
  summary: 'this node began to exchange facts with another one',
});
export const REPLAY_REJECTED = defineAuditEvent('replay_rejected', {
  summary: 'a credential that was used up came a second time',
});
