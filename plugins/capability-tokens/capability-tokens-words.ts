import { defineErrorCode } from '../../kernel/plugin-api.ts';
import { defineAuditEvent } from '../audit/audit-api.ts';

export const CAPABILITY_REQUIRED = defineErrorCode('capability_required', {
  status: 403,
  summary: 'the request needs a capability token',
});

export const CAPABILITY_ISSUED = defineAuditEvent('capability_issued', { summary: 'a capability token was issued' });
export const CAPABILITY_VERIFIED = defineAuditEvent('capability_verified', {
  summary: 'a capability token was shown and held',
});
export const CAPABILITY_REJECTED = defineAuditEvent('capability_rejected', {
  summary: 'a capability token was shown and refused',
});
export const CAPABILITY_REVOKED = defineAuditEvent('capability_revoked', { summary: 'a capability token was revoked' });
