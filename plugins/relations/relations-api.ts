import type { VALUE_TYPES } from '../../kernel/internal-api.ts';
import {
  defineCollectHook,
  defineRef,
  type Filter,
  type Hlc,
  type PluginTransaction,
  type Principal,
} from '../../kernel/plugin-api.ts';

/**
 * The number of values that a relation may hold for one entity. With `one`, two different values contradict each other.
 */
export const HELD_VALUES = ['one', 'many'] as const;
export type HeldValues = (typeof HELD_VALUES)[number];

export type ValueType = (typeof VALUE_TYPES)[number];

/** A rule about one relation, or about all relations with a prefix. */
export interface RelationRule {
  /** A relation, or a prefix that ends with a star, such as `rel:*`. */
  readonly pattern: string;
  readonly values: HeldValues;
  /** The type that values asserted at this node must have; null for any. */
  readonly valueType: ValueType | null;
  /** entity_uri of the administrator who set the rule. */
  readonly setBy: string;
  readonly setMs: number;
  /** The feed stamp from which the rule applies. */
  readonly since: Hlc;
}

/** The rules of one tenant at one moment. The longest pattern that covers a relation decides alone. */
export interface RelationVerdicts {
  /** Returns the rule that decides about a relation, by its match key. */
  ruleOf(relationKey: string): RelationRule | undefined;
  /** Returns true if different values of the relation do not contradict each other. */
  holdsMany(relationKey: string): boolean;
  /** Matches the facts of all relations that hold many values; undefined without such a relation. */
  readonly many: Filter | undefined;
}

/** The members of a rule that an administrator chooses. */
export type AskedRule = Pick<RelationRule, 'pattern' | 'values' | 'valueType'>;

/**
 * The rules of a tenant. They decide only whether different values contradict each other, and which types this node
 * accepts. They never decide what a fact ends, so nodes with different rules agree on that.
 */
export interface RelationRules {
  /**
   * Returns the current rules, or the rules as of a feed stamp. Synchronous, because every append and read calls it.
   * Another process follows a change within a second.
   */
  at(tenantId: string, asOf?: Hlc): RelationVerdicts;
  /** Lists the rules by pattern. Needs `read`. */
  list(caller: Principal): Promise<readonly RelationRule[]>;
  /**
   * Adds a rule. Needs `admin`. Rejects with `conflict` if the tenant has a rule with this pattern, with `validation`
   * for a wrong pattern, and with `limit_reached` for too many rules.
   */
  add(caller: Principal, rule: AskedRule): Promise<RelationRule>;
  /** Adds a rule or replaces the one with this pattern. Idempotent. Rejects like `add`, except with `conflict`. */
  set(caller: Principal, rule: AskedRule): Promise<RelationRule>;
  /** Removes a rule. Needs `admin`. Rejects with `lookup` if the tenant has none with this pattern. */
  remove(caller: Principal, pattern: string): Promise<void>;
}

export const RelationRules = defineRef<RelationRules>('relations.rules');

/** The change of a rule, with the transaction that makes it. */
export interface RelationChange {
  readonly tenantId: string;
  /** Matches the facts of the relations that the pattern covers. */
  readonly covered: Filter;
  /** The match key of the pattern. */
  readonly patternKey: string;
  readonly transaction: PluginTransaction;
}

/** Runs for each change of a rule about relations, inside the transaction of the change. */
export const relationRuleChanged = defineCollectHook<RelationChange, void>('relation-rule:changed');
