import { defineErrorCode } from '../../kernel/plugin-api.ts';
import { defineAuditEvent } from '../audit/audit-api.ts';
import { REVOKED_EVENT } from './subscription-record.ts';

export const EVENT_NOT_FOUND = defineErrorCode('event_not_found', {
  status: 404,
  summary: 'the subscription has no such event, or has it no longer',
});
export const WEBHOOK_URL_FORBIDDEN = defineErrorCode('webhook_url_forbidden', {
  status: 422,
  summary: 'the address of the webhook is one that the node does not call',
});

export const SECRET_ROTATED = defineAuditEvent('subscription_secret_rotated', {
  summary: 'the owner of a subscription gave it another secret',
});
export const SUBSCRIPTION_CANCELLED = defineAuditEvent(REVOKED_EVENT, {
  summary: 'a subscription ended because its owner lost the right to it',
});
