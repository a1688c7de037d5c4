import { defineErrorCode, definePrincipalKind } from '../../kernel/plugin-api.ts';

export const PEER = definePrincipalKind('peer', { summary: 'another node with a peer token' });

export const FEDERATION_DISABLED = defineErrorCode('federation_disabled', {
  status: 403,
  summary: 'federation is switched off on this node',
});
