import type { FactStore } from '../../ports/ports.ts';

/**
 * Ends all leases, or those with this fence, as if the time of the database had passed, which no test clock moves. A
 * renewal that has begun before may come after.
 */
export const endLeases = (store: FactStore, fence?: number): Promise<void> =>
  store.write('default', async (transaction) => {
    const leases = transaction.table('leases');
    await (fence === undefined ? leases : leases.where({ fence })).update({ until_ms: 0 });
  });
