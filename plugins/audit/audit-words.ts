import { defineAuditEvent } from './audit-api.ts';

/**
 * The event of a stored fact: asserted, sent by a peer, imported, or written by the node. Each stored fact has such an
 * entry, even if it was stored while this plugin was off. Plugins cannot record this event.
 */
export const FACT_WRITE = defineAuditEvent('fact_write', { summary: 'a fact was stored' });
