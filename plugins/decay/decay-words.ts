import { defineAuditEvent } from '../audit/audit-api.ts';

export const DECAY_SWEEP = defineAuditEvent('decay_sweep', { summary: 'a sweep has ended facts' });
