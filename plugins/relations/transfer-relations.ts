import { VALUE_TYPES } from '../../kernel/internal-api.ts';
import {
  type Clock,
  type HookCaller,
  type PluginTables,
  ServiceError,
  type ServiceNames,
} from '../../kernel/plugin-api.ts';
import type { TransferLine, TransferSection } from '../transfer/transfer-api.ts';
import { coveredBy, readPattern } from './relation-pattern.ts';
import { HELD_VALUES, relationRuleChanged } from './relations-api.ts';
import { VERSIONS } from './relations-migrations.ts';
import { RELATION_RULE_CHANGED } from './relations-words.ts';
import { addVersion, readRules } from './rule-book.ts';
import type { RuleVersion, StoredRule } from './rule-row.ts';

export interface TransferParts {
  readonly clock: Pick<Clock, 'nowMs'>;
  readonly tables: PluginTables;
  readonly hooks: HookCaller;
  readonly names: ServiceNames;
}

/**
 * Exports and imports the current rules. Without them, the importing store would find contradictions that this store
 * does not have.
 */
export const transferRelations = ({ tables, hooks, names, clock }: TransferParts): TransferSection => ({
  type: 'relation',
  async *pages(snapshot, tenantId) {
    const rules = await readRules(tables.in(snapshot), tenantId);
    if (rules.length > 0) yield rules.map(lineOf);
  },
  async take(transaction, tenantId, line) {
    const rule = readRule(line, tenantId, names);
    const own = tables.in(transaction);
    // The importing store keeps its own rule for a pattern, or its removal, because it is newer than the file.
    if ((await own.select(VERSIONS, { tenant_id: tenantId, pattern_key: rule.key })).length > 0) return false;
    const since = await transaction.announce(RELATION_RULE_CHANGED, [rule.key], clock.nowMs());
    await addVersion(own, { ...rule, since });
    const change = { tenantId, patternKey: rule.key, covered: coveredBy(rule.key), transaction };
    await hooks.collect(relationRuleChanged, change);
    return true;
  },
});

const lineOf = ({ pattern, values, valueType, setBy, setMs }: StoredRule): TransferLine => ({
  pattern,
  values,
  value_type: valueType,
  set_by: setBy,
  set_ms: setMs,
});

const readRule = (line: TransferLine, tenantId: string, names: ServiceNames): Omit<RuleVersion, 'since'> => {
  const { pattern, set_by: setBy, set_ms: setMs } = line;
  const values = HELD_VALUES.find((known) => known === line['values']);
  const valueType = line['value_type'] === null ? null : VALUE_TYPES.find((known) => known === line['value_type']);
  if (typeof pattern !== 'string') throw broken('pattern');
  if (values === undefined) throw broken('values');
  if (valueType === undefined) throw broken('value_type');
  if (typeof setBy !== 'string') throw broken('set_by');
  if (typeof setMs !== 'number' || !Number.isSafeInteger(setMs)) throw broken('set_ms');
  return { tenantId, ...readPattern(pattern, 'pattern', names), values, valueType, setBy, setMs, isRemoved: false };
};

const broken = (member: string): ServiceError =>
  new ServiceError('validation', `the line of a relation has a wrong ${member}`);
