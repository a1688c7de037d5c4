import type { PluginTables } from '../plugins/plugin-definition.ts';

/**
 * Returns whether the tenant of a chain is erased or being erased. Its links go piece by piece, so a chain that does
 * not hold shows no change from outside. A missing ledger alone is no erasure: somebody may have deleted its row.
 */
export const isLedgerErased = async (
  tables: Pick<PluginTables, 'writeUnlessErased'>,
  tenantId: string,
): Promise<boolean> => (await tables.writeUnlessErased(tenantId, async () => true)) === undefined;
