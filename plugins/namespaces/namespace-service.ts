import {
  type Clock,
  type PluginSnapshot,
  type PluginTables,
  type PluginTransaction,
  type Principal,
  readEntityUri,
  requirePermission,
  ServiceError,
  type ServiceNames,
  type WritableTables,
} from '../../kernel/plugin-api.ts';
import { ADMIN_ACTION, type AuditLog } from '../audit/audit-api.ts';
import { principalKey } from '../keys/keys-api.ts';
import { namespaceKeyOf, readPattern } from './namespace-pattern.ts';
import type { JudgeEntity, NamespacePage, NamespaceRule, Namespaces } from './namespaces-api.ts';
import type { StoredRule } from './rule-row.ts';
import type { RuleStore } from './rule-store.ts';

export const MAX_RULES = 1_000;
export const MAX_OWNERS = 64;
/** The maximum number of owners in all rules of a tenant, because each process caches them in memory. */
export const MAX_OWNERS_IN_ALL = 10_000;
export const DEFAULT_PAGE = 50;
export const MAX_PAGE = 500;

export interface NamespaceServiceParts {
  readonly isEnforced: boolean;
  readonly tables: PluginTables;
  readonly store: RuleStore;
  readonly clock: Pick<Clock, 'nowMs'>;
  readonly names: ServiceNames;
  readonly audit: AuditLog | undefined;
}

export class NamespaceService implements Namespaces {
  readonly isEnforced: boolean;
  readonly #parts: NamespaceServiceParts;

  constructor(parts: NamespaceServiceParts) {
    this.isEnforced = parts.isEnforced;
    this.#parts = parts;
  }

  async judge(caller: Principal, snapshot: PluginSnapshot): Promise<JudgeEntity | undefined> {
    if (!this.isEnforced || caller.kind === 'node') return undefined;
    const { store, names } = this.#parts;
    const rules = await store.rulesOf(caller.tenantId, snapshot);
    if (rules.isEmpty) return undefined;
    const callerKey = principalKey(caller.entityUri, names);
    return (fact) => rules.ownersOf(namespaceKeyOf(fact, names))?.has(callerKey) ?? true;
  }

  async list(
    caller: Principal,
    { after, limit }: { readonly after?: string | undefined; readonly limit: number },
  ): Promise<NamespacePage> {
    requirePermission(caller, 'admin');
    const { tables, store, names } = this.#parts;
    const { tenantId } = caller;
    const from = after === undefined ? '' : readPattern(after, 'query.cursor', names).key;
    return tables.read(async (own) => {
      const found = await store.list(own, tenantId, from, limit);
      const { rules: total } = await store.count(own, tenantId);
      return { rules: found.slice(0, limit), total, more: found.length > limit };
    });
  }

  async set(caller: Principal, asked: Pick<NamespaceRule, 'pattern' | 'owners'>): Promise<NamespaceRule> {
    requirePermission(caller, 'admin');
    const { tables, store, clock, names } = this.#parts;
    const { tenantId, entityUri: setBy } = caller;
    const { pattern, key } = readPattern(asked.pattern, 'body.pattern', names);
    const owners = this.#readOwners(asked.owners);
    return tables.write(tenantId, async (own, transaction) => {
      const known = await store.find(own, tenantId, key);
      if (known !== undefined && known.pattern !== pattern) throw otherSpelling(known);
      if (known !== undefined && this.#areSame(known.owners, owners)) return known;
      await this.#requireRoom(own, owners.length, known, tenantId);
      const rule: StoredRule = { tenantId, key, pattern, owners, setBy, setMs: clock.nowMs() };
      await store.put(own, rule);
      await this.#record(caller, { action: 'namespace_set', pattern, owners }, transaction);
      return rule;
    });
  }

  async remove(caller: Principal, asked: string): Promise<void> {
    requirePermission(caller, 'admin');
    const { tables, store, names } = this.#parts;
    const { key } = readPattern(asked, 'query.pattern', names);
    await tables.write(caller.tenantId, async (own, transaction) => {
      const known = await store.find(own, caller.tenantId, key);
      if (known === undefined) throw new ServiceError('lookup', 'there is no rule for this namespace');
      await store.remove(own, known);
      await this.#record(caller, { action: 'namespace_remove', pattern: known.pattern }, transaction);
    });
  }

  /** Reads the owners without duplicates, also in other spellings. */
  #readOwners(asked: readonly string[]): readonly string[] {
    const { names } = this.#parts;
    const owners = asked.map((owner, at) => readEntityUri(owner, `body.owners[${at}]`));
    return [...new Map(owners.map((owner) => [principalKey(owner, names), owner])).values()];
  }

  #areSame(known: readonly string[], owners: readonly string[]): boolean {
    const { names } = this.#parts;
    const keys = new Set(known.map((owner) => principalKey(owner, names)));
    return keys.size === owners.length && owners.every((owner) => keys.has(principalKey(owner, names)));
  }

  async #requireRoom(
    own: WritableTables,
    owners: number,
    known: StoredRule | undefined,
    tenantId: string,
  ): Promise<void> {
    const count = await this.#parts.store.count(own, tenantId);
    if (known === undefined && count.rules >= MAX_RULES) {
      throw new ServiceError('limit_reached', `a tenant has at most ${MAX_RULES} namespaces: remove some first`);
    }
    if (count.owners - (known?.owners.length ?? 0) + owners > MAX_OWNERS_IN_ALL) {
      const most = `the namespaces of a tenant have at most ${MAX_OWNERS_IN_ALL} owners altogether`;
      throw new ServiceError('limit_reached', `${most}: remove some first`);
    }
  }

  async #record(
    { tenantId, entityUri, oidcSub }: Principal,
    detail: Readonly<Record<string, string | readonly string[]>>,
    transaction: PluginTransaction,
  ): Promise<void> {
    await this.#parts.audit?.record({ event: ADMIN_ACTION, tenantId, entityUri, oidcSub, detail }, transaction);
  }
}

const otherSpelling = ({ pattern }: StoredRule): ServiceError =>
  new ServiceError('conflict', `there is a rule for this namespace under the spelling ${pattern}`, {
    hint: 'name the pattern in that spelling, or remove that rule first',
  });
