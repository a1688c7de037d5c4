import type { SqliteConnection } from './sqlite-connection.ts';

/** The interval of checks for commits of other processes. A check takes some microseconds and no lock. */
const CHECK_MS = 250;

/**
 * Calls `changed` soon after another connection has committed: https://sqlite.org/pragma.html#pragma_data_version Does
 * not keep the process alive. The returned function ends the watch.
 */
export const watchCommits = (connection: () => SqliteConnection | undefined, changed: () => void): (() => void) => {
  let watched: SqliteConnection | undefined;
  let version: unknown;
  const look = (): boolean => {
    const current = connection();
    const found = current && versionOf(current);
    // Compares numbers of the same connection only, because each connection counts for itself.
    const isSame = found !== undefined && current === watched && found === version;
    watched = current;
    version = found;
    return isSame;
  };
  look();
  const timer = setInterval(() => {
    if (!look()) changed();
  }, CHECK_MS).unref();
  return () => clearInterval(timer);
};

/** Returns undefined when the file cannot be read. Then a commit may have been missed. */
const versionOf = (connection: SqliteConnection): unknown => {
  try {
    return connection.rows('PRAGMA data_version', [])[0]?.[0];
  } catch {
    return undefined;
  }
};
