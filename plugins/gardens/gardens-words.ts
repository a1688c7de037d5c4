import { defineErrorCode } from '../../kernel/plugin-api.ts';
import { defineAuditEvent } from '../audit/audit-api.ts';

export const LAST_ADMIN = defineErrorCode('last_admin', {
  status: 403,
  summary: 'a garden keeps at least one admin',
});
export const QUARANTINE_HAS_PENDING_FACTS = defineErrorCode('quarantine_has_pending_facts', {
  status: 409,
  summary: 'facts in the quarantine of the garden wait for a decision',
});
export const FACT_NOT_QUARANTINE_PENDING = defineErrorCode('fact_not_quarantine_pending', {
  status: 409,
  summary: 'somebody has decided about the fact already',
});

export const QUARANTINE_INGEST = defineAuditEvent('quarantine_ingest', {
  summary: 'a fact came into the quarantine of a garden',
});
export const QUARANTINE_PROMOTE = defineAuditEvent('quarantine_promote', {
  summary: 'a fact was let out of quarantine',
});
export const QUARANTINE_REJECT = defineAuditEvent('quarantine_reject', {
  summary: 'a fact in quarantine was rejected',
});
