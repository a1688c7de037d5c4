import { defineAuditEvent } from '../audit/audit-api.ts';

export const TOMBSTONE_CREATED = defineAuditEvent('tombstone_created', {
  summary: 'facts about an entity were hidden by a tombstone',
});
export const TOMBSTONE_REVOKED = defineAuditEvent('tombstone_revoked', { summary: 'a tombstone was revoked' });
export const TOMBSTONE_ERASURE = defineAuditEvent('tombstone_erased', {
  summary: 'the facts behind a tombstone were destroyed',
});
