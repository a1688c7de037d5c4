import { defineAuditEvent } from '../audit/audit-api.ts';

export const QUOTA_BREACH = defineAuditEvent('quota_breach', { summary: 'somebody used a quota up' });
