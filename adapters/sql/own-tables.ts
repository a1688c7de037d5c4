/** Tables of the core without a prefix of their own. */
const CORE: ReadonlySet<string> = new Set(['facts', 'ledgers', 'feed_entries', 'leases', 'schema_migrations']);
const CORE_PREFIXES: readonly string[] = ['fact_', 'node_'];

/**
 * Which of these tables belong to the store, sorted. `owners` are the owners of its migrations: a plugin's tables begin
 * with its name. Other tables of a shared database are not the store's to copy or to move.
 */
export const ownTables = (names: readonly string[], owners: Iterable<string>): string[] => {
  const prefixes = [...CORE_PREFIXES, ...[...owners].map((owner) => `${owner.replaceAll('-', '_')}_`)];
  return names.filter((name) => CORE.has(name) || prefixes.some((prefix) => name.startsWith(prefix))).sort();
};
