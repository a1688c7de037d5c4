import { definePrincipalKind } from '../../kernel/plugin-api.ts';
import { defineAuditEvent } from '../audit/audit-api.ts';

export const API_KEY_REVOKED = defineAuditEvent('api_key_revoked', { summary: 'an API key was revoked' });

export const KEY_PRINCIPAL = definePrincipalKind('key', { summary: 'the holder of an API key' });
