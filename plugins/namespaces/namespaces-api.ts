import type { PreparedFact } from '../../kernel/internal-api.ts';
import { defineErrorCode, defineRef, type PluginSnapshot, type Principal } from '../../kernel/plugin-api.ts';

/** The only entities that may write about an entity, or about every entity under a path. */
export interface NamespaceRule {
  /** An entity, or a prefix that ends with a slash and a star, such as `svc://host/project/x/*`. */
  readonly pattern: string;
  /** Entities of keys; the id of a node lets that peer bring facts. */
  readonly owners: readonly string[];
  /** entity_uri of the administrator. */
  readonly setBy: string;
  readonly setMs: number;
}

/** True when the caller may write about the entity of the fact. */
export type JudgeEntity = (fact: Pick<PreparedFact, 'entity' | 'entityKey'>) => boolean;

export interface NamespacePage {
  readonly rules: readonly NamespaceRule[];
  /** Of the tenant. */
  readonly total: number;
  readonly more: boolean;
}

/**
 * The rules of a tenant. Every method but `judge` rejects with `authorization` for callers without permission `admin`.
 */
export interface Namespaces {
  /** Whether the rules hold; without, they are kept and refuse nothing. */
  readonly isEnforced: boolean;
  /**
   * Whether the caller may write about the entity of a fact, by the rules that the snapshot holds. Undefined where no
   * rule stands in anybody's way. Needs no permission: it tells callers about themselves.
   */
  judge(caller: Principal, snapshot: PluginSnapshot): Promise<JudgeEntity | undefined>;
  /** In the order of their keys, strictly after the one of this pattern. */
  list(
    caller: Principal,
    page: { readonly after?: string | undefined; readonly limit: number },
  ): Promise<NamespacePage>;
  /**
   * Sets the owners of a namespace, in place of those it has. Idempotent. Rejects with `validation`,
   * `invalid_entity_uri`, and `limit_reached` when the tenant has no room for the rule. It holds for every fact that is
   * stored after this resolves, in every process.
   */
  set(caller: Principal, rule: Pick<NamespaceRule, 'pattern' | 'owners'>): Promise<NamespaceRule>;
  /** Rejects with `lookup` where the tenant has no rule of this pattern. */
  remove(caller: Principal, pattern: string): Promise<void>;
}

export const Namespaces = defineRef<Namespaces>('namespaces.namespaces');

export const NAMESPACE_OWNED = defineErrorCode('namespace_owned', {
  status: 403,
  summary: 'the fact is about an entity about which only the owners of its namespace write',
});
