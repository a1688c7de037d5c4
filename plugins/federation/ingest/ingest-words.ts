import { defineErrorCode } from '../../../kernel/plugin-api.ts';
import { defineAuditEvent } from '../../audit/audit-api.ts';

export const QUOTA_EXCEEDED = defineErrorCode('quota_exceeded', {
  status: 429,
  summary: 'the caller has used up what it may do for now; `retry_after` says when to try again',
});

export const PEER_QUARANTINED = defineAuditEvent('peer_quarantined', {
  summary: 'a peer brought many invalid facts, and nothing is taken from it for a while',
});
