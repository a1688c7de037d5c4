import { soundRows } from '../../kernel/internal-api.ts';
import type {
  PluginSnapshot,
  PluginTables,
  Random,
  ReadableTables,
  Row,
  ServiceNames,
  WritableTables,
} from '../../kernel/plugin-api.ts';
import { principalKey } from '../keys/keys-api.ts';
import { RULES, VERSIONS } from './namespaces-migrations.ts';
import { rowOfRule, ruleFromRow, type StoredRule } from './rule-row.ts';
import { createRuleSet, NO_RULES, type RuleSet } from './rule-set.ts';

/** The maximum number of tenants whose rules a process caches. */
const MAX_KEPT = 256;

export interface RuleStoreParts {
  readonly tables: PluginTables;
  readonly random: Random;
  readonly names: ServiceNames;
}

interface Kept {
  readonly version: string;
  readonly rules: RuleSet;
}

/**
 * The stored rules. A process caches the rules of each tenant with their version, and a transaction reads the version
 * with one statement. Versions are random, because after a rollback a counter would use the same version again.
 */
export class RuleStore {
  readonly #parts: RuleStoreParts;
  readonly #kept = new Map<string, Kept>();

  constructor(parts: RuleStoreParts) {
    this.#parts = parts;
  }

  /** Returns the rules of a tenant in this transaction or snapshot. */
  async rulesOf(tenantId: string, snapshot: PluginSnapshot): Promise<RuleSet> {
    const own = this.#parts.tables.in(snapshot);
    const version = await versionOf(own, tenantId);
    if (version === undefined) return NO_RULES;
    const known = this.#kept.get(tenantId);
    if (known?.version === version) return known.rules;
    const { names } = this.#parts;
    const owners = new Map<string, Set<string>>();
    const rows = await own.select(RULES, { tenant_id: tenantId });
    // If the owners of a rule cannot be read, no caller may write. Without the rule, every caller could.
    const stored = own.parse(rows, ruleFromRow, (row) => owners.set(String(row['pattern_key']), new Set()));
    for (const rule of stored) owners.set(rule.key, new Set(rule.owners.map((one) => principalKey(one, names))));
    const rules = createRuleSet(owners);
    this.#keep(tenantId, { version, rules });
    return rules;
  }

  #keep(tenantId: string, kept: Kept): void {
    this.#kept.delete(tenantId);
    // A map keeps the order of insertion, so its first key is the oldest.
    if (this.#kept.size >= MAX_KEPT) this.#kept.delete(this.#kept.keys().next().value as string);
    this.#kept.set(tenantId, kept);
  }

  /** Lists rules by key, strictly after `after`, with one more than `limit`. */
  async list(own: ReadableTables, tenantId: string, after: string, limit: number): Promise<StoredRule[]> {
    return soundRows<Row, StoredRule>(
      limit + 1,
      (last, count) => rowsAfter(own, tenantId, last === undefined ? after : String(last['pattern_key']), count),
      (rows) => own.parse(rows, ruleFromRow),
    );
  }

  /** Lists rules as `list` does. Throws `DamagedRow` for a rule that cannot be read, instead of leaving it out. */
  async listAll(own: ReadableTables, tenantId: string, after: string, limit: number): Promise<StoredRule[]> {
    const rows = await rowsAfter(own, tenantId, after, limit + 1);
    return rows.flatMap((row) => own.parseOne(row, ruleFromRow) ?? []);
  }

  /** Returns the rule; undefined if it is damaged, so that another one can replace it. */
  async find(own: ReadableTables, tenantId: string, key: string): Promise<StoredRule | undefined> {
    const rows = await own.select(RULES, { tenant_id: tenantId, pattern_key: key });
    return own.parse(rows, ruleFromRow)[0];
  }

  async count(own: ReadableTables, tenantId: string): Promise<{ readonly rules: number; readonly owners: number }> {
    const [counted] = (await own(RULES)
      .where('tenant_id', tenantId)
      .count({ rules: '*' })
      .sum({ owners: 'owner_count' })) as { rules: number | string; owners: number | string | null }[];
    return { rules: Number(counted?.rules ?? 0), owners: Number(counted?.owners ?? 0) };
  }

  async put(own: WritableTables, rule: StoredRule): Promise<void> {
    const { tenantId, key } = rule;
    await own(RULES).where({ tenant_id: tenantId, pattern_key: key }).delete();
    await own.insertRows(RULES, [rowOfRule(rule)]);
    await this.#renew(own, tenantId);
  }

  async remove(own: WritableTables, { tenantId, key }: StoredRule): Promise<void> {
    await own(RULES).where({ tenant_id: tenantId, pattern_key: key }).delete();
    await this.#renew(own, tenantId);
  }

  async #renew(own: WritableTables, tenantId: string): Promise<void> {
    const version = this.#parts.random.uuid();
    if ((await versionOf(own, tenantId)) === undefined) {
      await own.insertRows(VERSIONS, [{ tenant_id: tenantId, version }]);
    } else {
      await own(VERSIONS).where({ tenant_id: tenantId }).update({ version });
    }
  }
}

const rowsAfter = async (own: ReadableTables, tenantId: string, after: string, count: number): Promise<Row[]> =>
  own(RULES).where('tenant_id', tenantId).where('pattern_key', '>', after).orderBy('pattern_key').limit(count);

const versionOf = async (own: ReadableTables, tenantId: string): Promise<string | undefined> => {
  const [row] = await own.select(VERSIONS, { tenant_id: tenantId });
  return row === undefined ? undefined : String(row['version']);
};
