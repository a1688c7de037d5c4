import type { SqlValue } from '../../kernel/plugin-api.ts';
import type { NamespaceRule } from './namespaces-api.ts';

/** A stored rule. */
export interface StoredRule extends NamespaceRule {
  readonly tenantId: string;
  readonly key: string;
}

export const ruleFromRow = (row: Readonly<Record<string, SqlValue>>): StoredRule => ({
  tenantId: String(row['tenant_id']),
  key: String(row['pattern_key']),
  pattern: String(row['pattern']),
  owners: JSON.parse(String(row['owners'])),
  setBy: String(row['set_by']),
  setMs: Number(row['set_ms']),
});

export const rowOfRule = ({ tenantId, key, pattern, owners, setBy, setMs }: StoredRule) => ({
  tenant_id: tenantId,
  pattern_key: key,
  pattern,
  owners: JSON.stringify(owners),
  owner_count: owners.length,
  set_by: setBy,
  set_ms: setMs,
});
