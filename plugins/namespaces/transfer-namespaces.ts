import { type PluginTables, type PluginTransaction, ServiceError, type ServiceNames } from '../../kernel/plugin-api.ts';
import type { TransferLine, TransferSection } from '../transfer/transfer-api.ts';
import { readPattern } from './namespace-pattern.ts';
import type { StoredRule } from './rule-row.ts';
import type { RuleStore } from './rule-store.ts';

const ROWS_PER_PAGE = 100;

export interface TransferParts {
  readonly tables: PluginTables;
  readonly store: RuleStore;
  readonly names: ServiceNames;
}

/**
 * Exports the rules, because otherwise any caller could write in the namespaces of the other store. A damaged rule ends
 * the export for the same reason.
 */
export const transferNamespaces = ({ tables, store, names }: TransferParts): TransferSection => ({
  type: 'namespace',
  async *pages(snapshot, tenantId) {
    const own = tables.in(snapshot);
    for (let after = '', more = true; more; ) {
      const found = await store.listAll(own, tenantId, after, ROWS_PER_PAGE);
      const page = found.slice(0, ROWS_PER_PAGE);
      if (page.length > 0) yield page.map(lineOf);
      more = found.length > ROWS_PER_PAGE;
      after = page.at(-1)?.key ?? '';
    }
  },
  async take(transaction: PluginTransaction, tenantId, line) {
    const rule = readRule(line, tenantId, names);
    const own = tables.in(transaction);
    // The importing store keeps its own rule for a namespace, because it is newer than the file.
    if ((await store.find(own, tenantId, rule.key)) !== undefined) return false;
    await store.put(own, rule);
    return true;
  },
});

const lineOf = ({ pattern, owners, setBy, setMs }: StoredRule): TransferLine => ({
  pattern,
  owners,
  set_by: setBy,
  set_ms: setMs,
});

const readRule = (line: TransferLine, tenantId: string, names: ServiceNames): StoredRule => {
  const { pattern, owners, set_by: setBy, set_ms: setMs } = line;
  if (typeof pattern !== 'string') throw broken('pattern');
  if (!isListOfTexts(owners)) throw broken('owners');
  if (typeof setBy !== 'string') throw broken('set_by');
  if (typeof setMs !== 'number' || !Number.isSafeInteger(setMs)) throw broken('set_ms');
  return { tenantId, ...readPattern(pattern, 'pattern', names), owners, setBy, setMs };
};

const isListOfTexts = (input: unknown): input is readonly string[] =>
  Array.isArray(input) && input.length > 0 && input.every((one) => typeof one === 'string');

const broken = (member: string): ServiceError =>
  new ServiceError('validation', `the line of a namespace has a wrong ${member}`);
