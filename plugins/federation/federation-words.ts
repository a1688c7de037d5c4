import { defineErrorCode, definePrincipalKind } from '../../kernel/plugin-api.ts';

export const PEER = definePrincipalKind('peer', { summary: 'another node with a peer token' });

export const FEDERATION_DISABLED = defineErrorCode('federation_disabled', {
  status: 403,
  summary: 'federation is switched off on this node',
});
export const INVALID_SIGNATURE = defineErrorCode('invalid_signature', {
  status: 422,
  summary: 'the declaration, or the peer token (401), was not signed by the node that it names',
});
export const DECLARATION_EXPIRED = defineErrorCode('declaration_expired', {
  status: 422,
  summary: 'the declaration was signed too long ago, or in the future',
});
export const STALE_DECLARATION = defineErrorCode('stale_declaration', {
  status: 409,
  summary: 'a declaration that was signed later, or this one, is on file',
});
export const KEY_MISMATCH = defineErrorCode('key_mismatch', {
  status: 409,
  summary: 'the peer has another key than before, and its former key does not vouch for it',
});
export const SCOPE_NOT_PERMITTED = defineErrorCode('scope_not_permitted', {
  status: 403,
  summary: 'the peer may not have facts of this scope',
});
