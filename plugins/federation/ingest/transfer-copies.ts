import { type PluginTables, type PluginTransaction, ServiceError } from '../../../kernel/plugin-api.ts';
import { rowPages, type TransferLine, type TransferSection } from '../../transfer/transfer-api.ts';
import { COPIES } from './ingest-tables.ts';

/** Moves the marks of facts that a proven fact has refuted, because facts do not contain them. */
export const transferCopies = (tables: PluginTables): TransferSection => ({
  type: 'refuted_copy',
  async *pages(snapshot, tenantId) {
    for await (const rows of rowPages(tables.in(snapshot), COPIES, 'fact_id', tenantId)) {
      yield rows.map(({ fact_id, proven_id }) => ({ fact_id, proven_id }));
    }
  },
  async take(transaction, tenantId, line) {
    const factId = await idOfFact(transaction, tenantId, line, 'fact_id');
    const provenId = await idOfFact(transaction, tenantId, line, 'proven_id');
    const own = tables.in(transaction);
    const where = { tenant_id: tenantId, fact_id: factId };
    if ((await own.select(COPIES, where)).length > 0) return false;
    await own.insertRows(COPIES, [{ ...where, proven_id: provenId }]);
    return true;
  },
});

const idOfFact = async (
  transaction: PluginTransaction,
  tenantId: string,
  line: TransferLine,
  name: string,
): Promise<string> => {
  const id = line[name];
  if (typeof id === 'string' && (await transaction.get(tenantId, id)) !== undefined) return id;
  throw new ServiceError('validation', `${name} is missing or not what an export holds there`);
};
