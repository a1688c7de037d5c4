import { type PluginTables, ServiceError, type SqlValue } from '../../kernel/plugin-api.ts';
import { rowPages, type TransferLine, type TransferSection } from '../transfer/transfer-api.ts';
import { AGENTS_TABLE } from './instructions-migrations.ts';
import { MANIFEST } from './instructions-words.ts';
import { isErased } from './manifest-json.ts';

/**
 * Moves the owner and the current manifest of each agent, because facts do not contain them. Audit tokens are not
 * moved, because they expire after a day.
 */
export const transferManifests = (tables: PluginTables): TransferSection => ({
  type: 'instruction_agent',
  async *pages(snapshot, tenantId) {
    for await (const rows of rowPages(tables.in(snapshot), AGENTS_TABLE, 'agent_key', tenantId)) {
      // Read one at a time, because each may be long. Erased manifests are not exported, so no line may name them.
      const published: Record<string, SqlValue>[] = [];
      for (const row of rows) {
        const fact = await snapshot.get(tenantId, String(row['fact_id']));
        if (fact !== undefined && !isErased(fact)) published.push(row);
      }
      yield published.map(({ agent_key, owner, fact_id }) => ({ agent_key, owner, fact_id }));
    }
  },
  async take(transaction, tenantId, line) {
    const agentKey = textOf(line, 'agent_key');
    const owner = textOf(line, 'owner');
    const factId = textOf(line, 'fact_id');
    const fact = await transaction.get(tenantId, factId);
    if (fact?.relationKey !== MANIFEST.id) throw broken('fact_id');
    const own = tables.in(transaction);
    const where = { tenant_id: tenantId, agent_key: agentKey };
    // The importing store keeps its own owner of an agent.
    if ((await own.select(AGENTS_TABLE, where)).length > 0) return false;
    await own.insertRows(AGENTS_TABLE, [{ ...where, owner, fact_id: factId }]);
    return true;
  },
});

const textOf = (line: TransferLine, name: string): string => {
  const value = line[name];
  if (typeof value === 'string' && value !== '') return value;
  throw broken(name);
};

const broken = (name: string): ServiceError =>
  new ServiceError('validation', `${name} is missing or not what an export holds there`);
