import { defineErrorCode } from '../../kernel/plugin-api.ts';

export const MULTI_TENANT_DISABLED = defineErrorCode('multi_tenant_disabled', {
  status: 403,
  summary: 'this node keeps one tenant: SVC_MULTI_TENANT_ENABLED is off',
});
