import { type PluginTables, ServiceError, type SqlValue } from '../../kernel/plugin-api.ts';
import type { TransferLine, TransferSection } from '../transfer/transfer-api.ts';
import { AGENTS_TABLE } from './instructions-migrations.ts';
import { MANIFEST } from './instructions-words.ts';
import { isErased } from './manifest-json.ts';

const AGENTS_PER_PAGE = 500;

/**
 * Moves the owner and the current manifest of each agent, because facts do not contain them. Audit tokens are not
 * moved, because they expire after a day.
 */
export const transferManifests = (tables: PluginTables): TransferSection => ({
  type: 'instruction_agent',
  async *pages(snapshot, tenantId) {
    for (let after = ''; ; ) {
      const rows: Record<string, SqlValue>[] = await tables
        .in(snapshot)(AGENTS_TABLE)
        .where('tenant_id', tenantId)
        .where('agent_key', '>', after)
        .orderBy('agent_key')
        .limit(AGENTS_PER_PAGE);
      const last = rows.at(-1);
      if (last === undefined) return;
      // Read one at a time, because each may be long. Erased manifests are not exported, so no line may name them.
      const published: Record<string, SqlValue>[] = [];
      for (const row of rows) {
        const fact = await snapshot.get(tenantId, String(row['fact_id']));
        if (fact !== undefined && !isErased(fact)) published.push(row);
      }
      yield published.map(({ agent_key, owner, fact_id }) => ({ agent_key, owner, fact_id }));
      after = String(last['agent_key']);
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
