import { grouped } from '../../kernel/internal-api.ts';
import {
  compareHlc,
  type Hlc,
  type PluginTables,
  type ReadableTables,
  type WritableTables,
} from '../../kernel/plugin-api.ts';
import { createVerdicts, NO_VERDICTS } from './relation-verdicts.ts';
import type { RelationVerdicts } from './relations-api.ts';
import { VERSIONS } from './relations-migrations.ts';
import { type RuleVersion, rowOfVersion, type StoredRule, versionFromRow } from './rule-row.ts';

/** The topic of the signal that announces a change to every process. */
export const RULES_CHANGED = 'rules-changed';

interface TenantRules {
  readonly versions: readonly RuleVersion[];
  readonly now: RelationVerdicts;
}

/**
 * Holds all rules of all tenants in memory, because every append and read needs them. A tenant has few rules. After
 * each change, every process reads them again.
 */
export class RuleBook {
  readonly #tables: PluginTables;
  #tenants: ReadonlyMap<string, TenantRules> = new Map();
  #begun = 0;
  #shown = 0;

  constructor(tables: PluginTables) {
    this.#tables = tables;
  }

  /** Loads the rules. Of simultaneous calls, the one that began last decides. */
  async load(): Promise<void> {
    this.#begun += 1;
    const turn = this.#begun;
    const versions = await this.#tables.read(async (own) => (await own.select(VERSIONS, {})).map(versionFromRow));
    if (turn < this.#shown) return;
    this.#shown = turn;
    const byTenant = grouped(versions, ({ tenantId }) => tenantId);
    this.#tenants = new Map(
      [...byTenant].map(([id, own]) => [id, { versions: own, now: createVerdicts(newestOf(own)) }]),
    );
  }

  at(tenantId: string, asOf?: Hlc): RelationVerdicts {
    const rules = this.#tenants.get(tenantId);
    if (rules === undefined) return NO_VERDICTS;
    if (asOf === undefined) return rules.now;
    return createVerdicts(newestOf(rules.versions.filter(({ since }) => compareHlc(since, asOf) <= 0)));
  }
}

/** Returns the newest version of each rule, without removed rules, sorted by pattern. */
const newestOf = (versions: readonly RuleVersion[]): StoredRule[] => {
  const newest = new Map<string, RuleVersion>();
  for (const version of versions) {
    const known = newest.get(version.key);
    if (known === undefined || compareHlc(known.since, version.since) < 0) newest.set(version.key, version);
  }
  return [...newest.values()].filter(({ isRemoved }) => !isRemoved).sort((a, b) => (a.key < b.key ? -1 : 1));
};

/** Reads the current rules of a tenant from the store, sorted by pattern. */
export const readRules = async (own: ReadableTables, tenantId: string): Promise<StoredRule[]> =>
  newestOf((await own.select(VERSIONS, { tenant_id: tenantId })).map(versionFromRow));

export const addVersion = async (own: WritableTables, version: RuleVersion): Promise<void> => {
  await own.insertRows(VERSIONS, [rowOfVersion(version)]);
  own.signal(RULES_CHANGED);
};
