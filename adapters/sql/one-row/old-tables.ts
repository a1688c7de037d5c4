import type { MigrationSchema } from '../../../ports/ports.ts';

/*
 * The tables in which an older store kept what the row of a fact holds now. Those of plugins are only read, where they
 * exist: each plugin has a migration of its own that does the rest.
 */

export const OLD_FACTS = 'facts';
export const OLD_AUDIT = 'audit_entries';
export const OLD_BILLING = 'billing_events';
export const OLD_LINKS = 'fact_chain_links';

/** In the order in which a transaction of the older version wrote them. */
const OLD_TABLES = [OLD_FACTS, OLD_AUDIT, OLD_BILLING, OLD_LINKS] as const;
export type OldTable = (typeof OLD_TABLES)[number];

/** Those that exist, in the order of `OLD_TABLES`. */
export const oldTables = async ({ tables }: MigrationSchema): Promise<readonly OldTable[]> => {
  const names = await tables();
  return OLD_TABLES.filter((table) => names.includes(table));
};
