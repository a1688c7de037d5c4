import { defineErrorCode } from '../../kernel/plugin-api.ts';

export const EVENT_NOT_FOUND = defineErrorCode('event_not_found', {
  status: 404,
  summary: 'the subscription has no such event, or has it no longer',
});
export const WEBHOOK_URL_FORBIDDEN = defineErrorCode('webhook_url_forbidden', {
  status: 422,
  summary: 'the address of the webhook is one that the node does not call',
});
