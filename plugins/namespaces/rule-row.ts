import { openRow, sealRow } from '../../kernel/internal-api.ts';
import { openJson, type SealedColumns, type SqlValue, sealJson } from '../../kernel/plugin-api.ts';
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

export const ruleFromRow = (stored: Readonly<Record<string, SqlValue>>): StoredRule => {
  const row = openRow(SEALED, stored);
  return {
    tenantId: String(row['tenant_id']),
    key: String(row['pattern_key']),
    pattern: String(row['pattern']),
    owners: openJson<readonly string[]>(SEALED, row, 'owners'),
    setBy: String(row['set_by']),
    setMs: Number(row['set_ms']),
  };
};

export const rowOfRule = ({ tenantId, key, pattern, owners, setBy, setMs }: StoredRule) =>
  sealRow(SEALED, {
    tenant_id: tenantId,
    pattern_key: key,
    pattern,
    owners: sealJson(owners),
    owner_count: owners.length,
    set_by: setBy,
    set_ms: setMs,
  });
