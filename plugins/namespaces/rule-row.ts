import { column, defineRow, openRow, sealRow } from '../../kernel/internal-api.ts';
import type { Row, SealedColumns } from '../../kernel/plugin-api.ts';
import type { NamespaceRule } from './namespaces-api.ts';
import { RULES } from './namespaces-migrations.ts';

export const SEALED = {
  table: RULES,
  key: ['tenant_id', 'pattern_key'],
  columns: ['owners'],
  plain: ['tenant_id', 'pattern_key', 'pattern'],
} as const satisfies SealedColumns;

export interface StoredRule extends NamespaceRule {
  readonly tenantId: string;
  readonly key: string;
}

const RULE_ROW = defineRow<StoredRule>({
  tenantId: column.text('tenant_id'),
  key: column.text('pattern_key'),
  pattern: column.text('pattern'),
  owners: column.json(SEALED, 'owners'),
  setBy: column.text('set_by'),
  setMs: column.number('set_ms'),
});

export const ruleFromRow = (stored: Row): StoredRule => RULE_ROW.fromRow(openRow(SEALED, stored));

export const rowOfRule = (rule: StoredRule): Row =>
  sealRow(SEALED, { ...RULE_ROW.rowOf(rule), owner_count: rule.owners.length });
