import { defineErrorCode } from '../../kernel/plugin-api.ts';
import { defineAuditEvent } from '../audit/audit-api.ts';

export const INVALID_WEIGHTS = defineErrorCode('invalid_weights', {
  status: 400,
  summary: 'the weights of the stages are not what they must be',
});
export const RECALL_DEPTH_EXCEEDED = defineErrorCode('recall_depth_exceeded', {
  status: 400,
  summary: 'a walk goes deeper than recall does',
});
export const INVALID_TOKEN_BUDGET = defineErrorCode('invalid_token_budget', {
  status: 422,
  summary: 'the token budget is no number that recall can work with',
});

export const FACT_READ = defineAuditEvent('fact_read', { summary: 'somebody recalled facts' });
