import {
  formatInstant,
  INSTANT_JSON,
  markOf,
  type NodeSelf,
  objectOf,
  orNull,
  STRING_JSON,
} from '../../kernel/plugin-api.ts';
import { SOURCE_TRUST } from '../source-trust/source-trust-api.ts';
import type { Decision, HeldFact } from './gardens-api.ts';
import { QUARANTINE_STATUSES } from './quarantine-row.ts';

export const HELD_FACT_JSON = objectOf({
  fact_id: STRING_JSON,
  entity: STRING_JSON,
  relation: STRING_JSON,
  source: STRING_JSON,
  quarantine_status: { type: 'string', enum: [...QUARANTINE_STATUSES] },
  quarantine_garden_id: STRING_JSON,
  quarantine_reason: STRING_JSON,
  quarantine_acted_by: orNull(STRING_JSON),
  quarantine_acted_at: orNull(INSTANT_JSON),
  source_trust: orNull({ type: 'number', minimum: 0, maximum: 1 }),
  received_from: orNull(STRING_JSON),
  timestamp: INSTANT_JSON,
});

export const heldFactJson = (
  { entry, view, garden }: HeldFact,
  { names, authority }: NodeSelf,
): Record<string, unknown> => ({
  fact_id: entry.factId,
  entity: view.fact.entity,
  relation: view.fact.relation,
  source: view.fact.source,
  quarantine_status: entry.status,
  quarantine_garden_id: names.gardenUri(authority, garden.slug),
  quarantine_reason: entry.reason,
  quarantine_acted_by: entry.actedBy,
  quarantine_acted_at: entry.actedMs === null ? null : formatInstant(entry.actedMs),
  source_trust: markOf(view, SOURCE_TRUST) ?? null,
  received_from: view.fact.receivedFrom,
  timestamp: view.fact.timestamp,
});

const DECIDED = { fact_id: STRING_JSON, acted_by: STRING_JSON, acted_at: INSTANT_JSON } as const;

export const PROMOTED_JSON = objectOf({
  ...DECIDED,
  action: { type: 'string', const: 'promoted' },
  target_garden_id: orNull(STRING_JSON),
});

export const promotedJson = (
  { factId, targetGarden, actedBy, actedAt }: Decision,
  { names, authority }: NodeSelf,
): Record<string, unknown> => ({
  fact_id: factId,
  action: 'promoted',
  target_garden_id: targetGarden === null ? null : names.gardenUri(authority, targetGarden.slug),
  acted_by: actedBy,
  acted_at: actedAt,
});

export const REJECTED_JSON = objectOf({ ...DECIDED, action: { type: 'string', const: 'rejected' } });

export const rejectedJson = ({ factId, actedBy, actedAt }: Decision): Record<string, unknown> => ({
  fact_id: factId,
  action: 'rejected',
  acted_by: actedBy,
  acted_at: actedAt,
});
