import type { FactStore } from '../../ports/ports.ts';

/** Ends all leases, as if the time of the database had passed, which no test clock moves. */
export const endLeases = (store: FactStore): Promise<void> =>
  store.write('default', async (transaction) => {
    await transaction.table('leases').update({ until_ms: 0 });
  });
