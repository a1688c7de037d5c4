import { defineErrorCode } from '../../kernel/plugin-api.ts';
import { defineAuditEvent } from '../audit/audit-api.ts';

export const TOMBSTONE_INVALID_SCOPE = defineErrorCode('tombstone_invalid_scope', {
  status: 422,
  summary: 'the scope of a tombstone is "*" or one of the scopes of facts',
});
export const TOMBSTONE_ENTITY_URI_INVALID = defineErrorCode('tombstone_entity_uri_invalid', {
  status: 422,
  summary: 'a tombstone names its entity by a URI with a colon',
});
export const TOMBSTONE_ERASED = defineErrorCode('tombstone_erased', {
  status: 409,
  summary: 'the facts behind the tombstone were destroyed',
});
export const TOMBSTONES_OFF = defineErrorCode('tombstones_off', {
  status: 409,
  summary: 'tombstones hide nothing on this node, so that nothing behind them is erased',
});
export const LEGAL_HOLD = defineErrorCode('legal_hold', {
  status: 409,
  summary: 'a tombstone with a legal hold keeps the facts',
});

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
