/** The tables of the core whose names have no prefix. */
const CORE: ReadonlySet<string> = new Set([
  'facts',
  'ledgers',
  'feed_entries',
  'leases',
  'schema_migrations',
  'seal_destructions',
]);
const CORE_PREFIXES: readonly string[] = ['fact_', 'node_'];

/**
 * Returns the tables of the store among these names, sorted. `owners` are the owners of its migrations; the name of a
 * plugin's table begins with the plugin's name. Other tables in a shared database must not be copied or moved.
 */
export const ownTables = (names: readonly string[], owners: Iterable<string>): string[] => {
  const prefixes = [...CORE_PREFIXES, ...[...owners].map((owner) => `${owner.replaceAll('-', '_')}_`)];
  return names.filter((name) => CORE.has(name) || prefixes.some((prefix) => name.startsWith(prefix))).sort();
};
