import { column, defineRow } from '../../kernel/internal-api.ts';
import { HELD_VALUES, type RelationRule } from './relations-api.ts';

/** A rule in the store. `key` is the match key of its pattern. */
export interface StoredRule extends RelationRule {
  readonly tenantId: string;
  readonly key: string;
}

/** One version of a rule, or its removal. The newest version of each key applies. */
export interface RuleVersion extends StoredRule {
  readonly isRemoved: boolean;
}

export const { rowOf: rowOfVersion, fromRow: versionFromRow } = defineRow<RuleVersion>({
  tenantId: column.text('tenant_id'),
  key: column.text('pattern_key'),
  pattern: column.text('pattern'),
  values: column.of('held', (held) => HELD_VALUES.find((known) => known === held) ?? 'one'),
  valueType: column.textOrNull('value_type'),
  setBy: column.text('set_by'),
  setMs: column.number('set_ms'),
  since: {
    write: ({ wallMs, counter }) => ({ since_wall: wallMs, since_ctr: counter }),
    read: (row) => ({ wallMs: Number(row['since_wall']), counter: Number(row['since_ctr']) }),
  },
  isRemoved: column.flag('removed'),
});
