import { defineAuditEvent } from '../audit/audit-api.ts';

export const TOMBSTONE_CREATED = defineAuditEvent('tombstone_created', {
  summary: 'facts about an entity were hidden by a tombstone',
});
export const TOMBSTONE_INGESTED = defineAuditEvent('tombstone_federation_ingested', {
  summary: 'a tombstone of a peer was taken, or its end',
});
export const TOMBSTONE_REJECTED = defineAuditEvent('tombstone_federation_rejected', {
  summary: 'a tombstone that a peer sent was refused',
});
export const TOMBSTONE_REVOKED = defineAuditEvent('tombstone_revoked', { summary: 'a tombstone was revoked' });
export const TOMBSTONE_ERASURE = defineAuditEvent('tombstone_erased', {
  summary: 'the facts behind a tombstone were destroyed',
});
export const SUBJECT_EXPORTED = defineAuditEvent('subject_exported', {
  summary: 'what is known about an entity, or said by it, was written down for somebody',
});
