import { defineAuditEvent } from '../audit/audit-api.ts';

export const TOMBSTONE_CREATED = defineAuditEvent('tombstone_created', {
  summary: 'facts about an entity were hidden by a tombstone',
});
export const TOMBSTONE_REVOKED = defineAuditEvent('tombstone_revoked', { summary: 'a tombstone was revoked' });
