import { defineAuditEvent } from '../../audit/audit-api.ts';

export const PEER_QUARANTINED = defineAuditEvent('peer_quarantined', {
  summary: 'a peer brought many invalid facts, and nothing is taken from it for a while',
});
