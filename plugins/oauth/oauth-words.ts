import { defineAuditEvent } from '../audit/audit-api.ts';

export const OAUTH_GRANTED = defineAuditEvent('oauth_granted', { summary: 'a person gave a client access' });
export const OAUTH_ENDED = defineAuditEvent('oauth_ended', { summary: 'the access of a client ended' });
