/** The current timeline of a primary. Its last checkpoint may still name an earlier one. */
export const TIMELINE = `('x' || substr(pg_walfile_name(pg_current_wal_flush_lsn()), 1, 8))::bit(32)::int`;

export const POSITION = `SELECT (${TIMELINE})::text, pg_current_wal_flush_lsn()::text`;

/** Identifies the database: equal on the primary and its replicas, and different everywhere else. */
export const IDENTITY = `SELECT concat_ws(' ', system_identifier,
  (SELECT oid FROM pg_database WHERE datname = current_database()), current_schema()) FROM pg_control_system()`;

/**
 * Compares the timeline too. A replica of a former primary may hold commits that the present primary never had. The
 * last checkpoint of such a replica belongs to an earlier timeline.
 */
const STATE = `CASE
  WHEN NOT pg_is_in_recovery() THEN 'promoted'
  WHEN (${IDENTITY}) <> ? THEN 'foreign'
  WHEN timeline_id <> ?::int THEN 'diverged'
  WHEN pg_last_wal_replay_lsn() >= ?::pg_lsn THEN 'serves'
  ELSE 'behind' END`;

/** Parameters: the identity of the database, and the timeline and position of its primary. */
export const REPLICA_STATE = `SELECT ${STATE} FROM pg_control_checkpoint()`;

/** The same with the bytes up to a position, which is the last parameter once more. */
export const REPLICA_LAG = `SELECT ${STATE}, greatest(pg_wal_lsn_diff(?::pg_lsn, pg_last_wal_replay_lsn()), 0)::text
  FROM pg_control_checkpoint()`;
