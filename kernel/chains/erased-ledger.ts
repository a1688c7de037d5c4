import type { PluginTables } from '../plugins/plugin-definition.ts';

/**
 * Returns whether the tenant of a chain is erased or being erased. Its links go piece by piece, so a chain that does
 * not hold shows no change from outside.
 */
export const isLedgerErased = async (tables: Pick<PluginTables, 'read'>, tenantId: string): Promise<boolean> => {
  const ends = await tables.read((_own, snapshot) => snapshot.ledgerEnds());
  return !ends.some((end) => end.tenantId === tenantId);
};
