import { defineErrorCode } from '../../kernel/plugin-api.ts';

export const OIDC_DISABLED = defineErrorCode('oidc_disabled', {
  status: 403,
  summary: 'sign-in through an identity provider, or by its codes, is switched off on this node',
});
