import { TRUNCATED_JSON } from '../../kernel/internal-api.ts';
import {
  component,
  defineComponent,
  FACT,
  type FactJson,
  formatInstant,
  INSTANT_JSON,
  listOf,
  type NodeSelf,
  objectOf,
  orNull,
  STRING_JSON,
} from '../../kernel/plugin-api.ts';
import { conflictEntity } from './conflict-entity.ts';
import type { ConflictView } from './conflicts-api.ts';

export const CONFLICT = defineComponent('Conflict', {
  summary: 'a contradiction, as far as the caller sees its facts',
  json: objectOf(
    {
      conflict_id: STRING_JSON,
      fact_a: component(FACT),
      fact_b: component(FACT),
      members: listOf(STRING_JSON),
      truncated: TRUNCATED_JSON,
      status: { type: 'string', enum: ['unresolved', 'resolved'] },
      resolved_by: orNull(STRING_JSON),
      detected_at: INSTANT_JSON,
    },
    { optional: ['truncated'] },
  ),
});

export type ConflictJson = (view: ConflictView) => Record<string, unknown>;

export const createConflictJson =
  (self: NodeSelf, factJson: FactJson): ConflictJson =>
  ({ record, factA, factB, members, truncated }) => ({
    conflict_id: conflictEntity(record.id, self.names),
    fact_a: factJson(factA),
    fact_b: factJson(factB),
    members: members.map(({ id }) => id),
    ...(truncated ? { truncated } : {}),
    status: record.status,
    resolved_by: record.resolvedBy,
    detected_at: formatInstant(record.detectedMs),
  });
