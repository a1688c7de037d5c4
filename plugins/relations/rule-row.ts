import type { Row } from '../../kernel/plugin-api.ts';
import { HELD_VALUES, type RelationRule, type ValueType } from './relations-api.ts';

/** A rule in the store. `key` is the match key of its pattern. */
export interface StoredRule extends RelationRule {
  readonly tenantId: string;
  readonly key: string;
}

/** One version of a rule, or its removal. The newest version of each key applies. */
export interface RuleVersion extends StoredRule {
  readonly isRemoved: boolean;
}

export const versionFromRow = (row: Row): RuleVersion => ({
  tenantId: String(row['tenant_id']),
  key: String(row['pattern_key']),
  pattern: String(row['pattern']),
  values: HELD_VALUES.find((known) => known === row['held']) ?? 'one',
  valueType: row['value_type'] === null ? null : (String(row['value_type']) as ValueType),
  setBy: String(row['set_by']),
  setMs: Number(row['set_ms']),
  since: { wallMs: Number(row['since_wall']), counter: Number(row['since_ctr']) },
  isRemoved: Number(row['removed']) === 1,
});

export const rowOfVersion = (version: RuleVersion): Row => ({
  tenant_id: version.tenantId,
  pattern_key: version.key,
  since_wall: version.since.wallMs,
  since_ctr: version.since.counter,
  pattern: version.pattern,
  held: version.values,
  value_type: version.valueType,
  removed: version.isRemoved ? 1 : 0,
  set_by: version.setBy,
  set_ms: version.setMs,
});
