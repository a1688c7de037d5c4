import {
  all,
  equals,
  matchKey,
  type PluginSnapshot,
  type PluginTables,
  type PluginTransaction,
  type ReadableTables,
  type ServiceNames,
  type StoredFact,
} from '../../kernel/plugin-api.ts';
import { AGENTS_TABLE } from './instructions-migrations.ts';
import { MANIFEST } from './instructions-words.ts';
import { manifestUri } from './manifest.ts';

/** An agent with a published manifest. */
export interface AgentRecord {
  /** entity_uri of the first publisher. */
  readonly owner: string;
  /** The fact that holds the current manifest. */
  readonly factId: string;
}

/**
 * Stores the owner and the current manifest of each agent. The manifests themselves are facts. Two spellings of an
 * agent with the same match key are one agent.
 */
export class ManifestStore {
  readonly #tables: PluginTables;
  readonly #names: ServiceNames;

  constructor(tables: PluginTables, names: ServiceNames) {
    this.#tables = tables;
    this.#names = names;
  }

  agent(snapshot: PluginSnapshot, tenantId: string, agentId: string): Promise<AgentRecord | undefined> {
    return agentIn(this.#tables.in(snapshot), tenantId, matchKey(agentId, this.#names));
  }

  /**
   * Finds the fact of a version, current or superseded. Only for the node itself, because callers may not see the fact.
   */
  async version(
    snapshot: PluginSnapshot,
    tenantId: string,
    agentId: string,
    version: string,
  ): Promise<StoredFact | undefined> {
    const entityKey = equals('entityKey', matchKey(manifestUri(agentId, version), this.#names));
    const filter = all(equals('tenantId', tenantId), entityKey, equals('relationKey', MANIFEST.id));
    const [fact] = await snapshot.find({ filter, order: 'feed', limit: 1 });
    return fact;
  }

  /** Makes a manifest the current one of its agent, and stores the owner of the agent. */
  async makeCurrent(
    transaction: PluginTransaction,
    tenantId: string,
    agentId: string,
    { factId, owner }: AgentRecord,
  ): Promise<void> {
    const own = this.#tables.in(transaction);
    const where = { tenant_id: tenantId, agent_key: matchKey(agentId, this.#names) };
    const row = { owner, fact_id: factId };
    const known = await agentIn(own, tenantId, where.agent_key);
    if (known === undefined) await own.insertRows(AGENTS_TABLE, [{ ...where, ...row }]);
    else await own(AGENTS_TABLE).where(where).update(row);
  }
}

const agentIn = async (own: ReadableTables, tenantId: string, agentKey: string): Promise<AgentRecord | undefined> => {
  const [row] = await own.select(AGENTS_TABLE, { tenant_id: tenantId, agent_key: agentKey });
  if (row === undefined) return undefined;
  return { owner: String(row['owner']), factId: String(row['fact_id']) };
};
