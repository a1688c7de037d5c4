import { ServiceError } from '../../ports/ports.ts';

/** The connection of each process, outside its pools, that listens for signals of other processes. */
const LISTENING_CONNECTIONS = 1;
/** The minimum pool of a process, with which both reads and writes go on. */
export const LEAST_POOL = 4;

/**
 * Writers get one in this many connections of the pool. Writes of one tenant run one after another, so few connections
 * serve many tenants.
 */
const WRITER_SHARE = 4;

/** Selects how many connections the server allows to this user in this database, those of all processes together. */
export const ALLOWED_CONNECTIONS = `LEAST(
  current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
    - coalesce(current_setting('reserved_connections', true)::int, 0),
  (SELECT nullif(datconnlimit, -1) FROM pg_database WHERE datname = current_database()),
  (SELECT nullif(rolconnlimit, -1) FROM pg_roles WHERE rolname = current_user))`;

/** The number of connections that the operator grants to one process, and the number of processes with that many. */
export interface ConnectionPlan {
  readonly poolSize: number;
  readonly processes: number;
}

/** The number of connections for each kind of work of one process. */
export interface ConnectionShare {
  readonly readers: number;
  readonly writers: number;
}

export const shareOf = (poolSize: number): ConnectionShare => {
  const writers = Math.max(1, Math.floor(poolSize / WRITER_SHARE));
  return { readers: poolSize - writers, writers };
};

/**
 * Returns the share of a process when the server allows this many connections to all of them. Throws `unavailable` when
 * they are too few.
 */
export const shareWithin = (plan: ConnectionPlan, allowed: number): ConnectionShare => {
  if (!isEnough(plan, allowed)) throw tooFew(plan, allowed);
  return shareOf(Math.min(plan.poolSize, mostOf(plan, allowed)));
};

export const isEnough = (plan: ConnectionPlan, allowed: number): boolean => mostOf(plan, allowed) >= LEAST_POOL;

export const tooFew = ({ processes }: ConnectionPlan, allowed: number): ServiceError => {
  const needed = processes * (LEAST_POOL + LISTENING_CONNECTIONS);
  return new ServiceError('unavailable', `the database allows ${allowed} connections, and the node needs ${needed}`, {
    hint: 'lower SVC_WORKERS, or raise max_connections on the server or the CONNECTION LIMIT of user and database',
  });
};

const mostOf = ({ processes }: ConnectionPlan, allowed: number): number =>
  Math.floor(allowed / processes) - LISTENING_CONNECTIONS;
