import { defineErrorCode } from '../../../kernel/plugin-api.ts';

export const NO_PERMITTED_SCOPES = defineErrorCode('no_permitted_scopes', {
  status: 403,
  summary: 'the peer may have facts of no scope',
});
