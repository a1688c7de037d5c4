import { defineErrorCode } from '../../kernel/plugin-api.ts';

export const ALREADY_RESOLVED = defineErrorCode('already_resolved', {
  status: 409,
  summary: 'somebody has resolved the conflict already',
});
