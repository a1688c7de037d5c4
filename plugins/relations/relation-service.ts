import {
  type Clock,
  type Hlc,
  type HookCaller,
  type PluginTables,
  type PluginTransaction,
  type Principal,
  requirePermission,
  ServiceError,
  type ServiceNames,
  type WritableTables,
} from '../../kernel/plugin-api.ts';
import { ADMIN_ACTION, type AuditLog } from '../audit/audit-api.ts';
import { coveredBy, readPattern } from './relation-pattern.ts';
import { type AskedRule, type RelationRule, type RelationRules, relationRuleChanged } from './relations-api.ts';
import { RELATION_RULE_CHANGED } from './relations-words.ts';
import { addVersion, type RuleBook, readRules } from './rule-book.ts';
import type { RuleVersion, StoredRule } from './rule-row.ts';

export const MAX_RULES = 200;

export interface RelationServiceParts {
  readonly tables: PluginTables;
  readonly book: RuleBook;
  readonly clock: Pick<Clock, 'nowMs'>;
  readonly names: ServiceNames;
  readonly hooks: HookCaller;
  readonly audit: AuditLog | undefined;
}

/** Implements `RelationRules` on the stored rules. */
export class RelationService implements RelationRules {
  readonly #parts: RelationServiceParts;

  constructor(parts: RelationServiceParts) {
    this.#parts = parts;
  }

  at(tenantId: string, asOf?: Hlc) {
    return this.#parts.book.at(tenantId, asOf);
  }

  async list(caller: Principal): Promise<readonly RelationRule[]> {
    requirePermission(caller, 'read');
    return this.#parts.tables.read((own) => readRules(own, caller.tenantId));
  }

  add(caller: Principal, asked: AskedRule): Promise<RelationRule> {
    return this.#put(caller, asked, (known) => {
      if (known === undefined) return false;
      throw new ServiceError('conflict', 'there is a rule with this pattern already', {
        hint: 'change it with PUT /v1/relations',
      });
    });
  }

  set(caller: Principal, asked: AskedRule): Promise<RelationRule> {
    return this.#put(caller, asked, (known) => known?.values === asked.values && known.valueType === asked.valueType);
  }

  async remove(caller: Principal, asked: string): Promise<void> {
    requirePermission(caller, 'admin');
    const { key } = readPattern(asked, 'query.pattern', this.#parts.names);
    await this.#change(caller, async (own, transaction) => {
      const known = (await readRules(own, caller.tenantId)).find((rule) => rule.key === key);
      if (known === undefined) throw new ServiceError('lookup', 'there is no rule with this pattern');
      await this.#store(caller, { ...known, isRemoved: true }, own, transaction);
    });
  }

  /** Stores the rule, unless `isSo` returns true for the stored rule with the same pattern. */
  async #put(
    caller: Principal,
    asked: AskedRule,
    isSo: (known: StoredRule | undefined) => boolean,
  ): Promise<RelationRule> {
    requirePermission(caller, 'admin');
    const { values, valueType } = asked;
    const { pattern, key } = readPattern(asked.pattern, 'body.pattern', this.#parts.names);
    return this.#change(caller, async (own, transaction) => {
      const rules = await readRules(own, caller.tenantId);
      const known = rules.find((rule) => rule.key === key);
      if (isSo(known) && known !== undefined) return known;
      if (known === undefined && rules.length >= MAX_RULES) {
        throw new ServiceError('limit_reached', `a tenant has at most ${MAX_RULES} rules for relations`, {
          hint: 'remove some first, or cover several relations with one prefix',
        });
      }
      return this.#store(caller, { key, pattern, values, valueType, isRemoved: false }, own, transaction);
    });
  }

  /** Runs a change, then loads the rules again, so that this process applies them at once. */
  async #change<T>(
    { tenantId }: Principal,
    work: (own: WritableTables, transaction: PluginTransaction) => Promise<T>,
  ): Promise<T> {
    const changed = await this.#parts.tables.write(tenantId, work);
    await this.#parts.book.load();
    return changed;
  }

  async #store(
    { tenantId, entityUri, oidcSub }: Principal,
    asked: Pick<RuleVersion, 'key' | 'pattern' | 'values' | 'valueType' | 'isRemoved'>,
    own: WritableTables,
    transaction: PluginTransaction,
  ): Promise<StoredRule> {
    const { clock, hooks, audit } = this.#parts;
    const { key, pattern, values, valueType, isRemoved } = asked;
    const setMs = clock.nowMs();
    const since = await transaction.announce(RELATION_RULE_CHANGED, [key], setMs);
    const version: RuleVersion = { ...asked, tenantId, setBy: entityUri, setMs, since };
    await addVersion(own, version);
    await hooks.collect(relationRuleChanged, { tenantId, patternKey: key, covered: coveredBy(key), transaction });
    const detail = isRemoved
      ? { action: 'relation_rule_remove', pattern }
      : { action: 'relation_rule_set', pattern, values, value_type: valueType };
    await audit?.record({ event: ADMIN_ACTION, tenantId, entityUri, oidcSub, detail }, transaction);
    return version;
  }
}
