import type { PreparedFact } from '../../kernel/internal-api.ts';
import { defineErrorCode, defineRef, type PluginSnapshot, type Principal } from '../../kernel/plugin-api.ts';

/** The only entities that may write about an entity, or about all entities under a path. */
export interface NamespaceRule {
  /** An entity, or a prefix that ends with a slash and a star, such as `svc://host/project/x/*`. */
  readonly pattern: string;
  /** Entities of keys. The id of a node allows facts of that peer. */
  readonly owners: readonly string[];
  /** entity_uri of the administrator who set the rule. */
  readonly setBy: string;
  readonly setMs: number;
}

/** Returns true if the caller may write about the entity of the fact. */
export type JudgeEntity = (fact: Pick<PreparedFact, 'entity' | 'entityKey'>) => boolean;

export interface NamespacePage {
  readonly rules: readonly NamespaceRule[];
  /** Number of rules of the tenant. */
  readonly total: number;
  readonly more: boolean;
}

/**
 * The rules of a tenant. Every method but `judge` rejects with `authorization` for callers without permission `admin`.
 */
export interface Namespaces {
  /** True if the rules are enforced. Otherwise they are stored and refuse nothing. */
  readonly isEnforced: boolean;
  /**
   * Returns a check for the entities that the caller may write about, by the rules in the snapshot. Undefined if no
   * rule restricts the caller. Needs no permission, because it shows callers only their own rights.
   */
  judge(caller: Principal, snapshot: PluginSnapshot): Promise<JudgeEntity | undefined>;
  /** Lists rules in the order of their keys, starting after the one of this pattern. */
  list(
    caller: Principal,
    page: { readonly after?: string | undefined; readonly limit: number },
  ): Promise<NamespacePage>;
  /**
   * Sets the owners of a namespace, and replaces the former ones. Idempotent. Rejects with `validation`,
   * `invalid_entity_uri`, and `limit_reached` if the tenant has too many rules. After it resolves, the rule applies to
   * every new fact in every process.
   */
  set(caller: Principal, rule: Pick<NamespaceRule, 'pattern' | 'owners'>): Promise<NamespaceRule>;
  /** Rejects with `lookup` if the tenant has no rule with this pattern. */
  remove(caller: Principal, pattern: string): Promise<void>;
}

export const Namespaces = defineRef<Namespaces>('namespaces.namespaces');

export const NAMESPACE_OWNED = defineErrorCode('namespace_owned', {
  status: 403,
  summary: 'the fact is about an entity about which only the owners of its namespace write',
});
