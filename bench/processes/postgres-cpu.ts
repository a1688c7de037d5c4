import { readdirSync, readFileSync } from 'node:fs';

/** Linux counts in hundredths of a second. */
const TICK_MS = 10;

interface ProcessTimes {
  readonly parent: number;
  readonly ownMs: number;
  /** The processor time of child processes that have ended, in milliseconds. */
  readonly childrenMs: number;
}

/** Returns null where there is no /proc, or no such process. */
const timesOf = (pid: number | string): ProcessTimes | null => {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ').at(-1)?.split(' ').map(Number) ?? [];
    const ticks = (at: number): number => (fields[at] ?? 0) * TICK_MS;
    return { parent: fields[1] ?? 0, ownMs: ticks(11) + ticks(12), childrenMs: ticks(13) + ticks(14) };
  } catch {
    return null;
  }
};

/**
 * Returns the process id of a server's main process, given one that serves a connection; null when the server is on
 * another machine.
 */
export const postgresServerPid = (backendPid: number): number | null => {
  const parent = timesOf(backendPid)?.parent;
  if (parent === undefined) return null;
  return readFileSync(`/proc/${backendPid}/stat`, 'latin1').includes('(postgres)') ? parent : null;
};

/**
 * Returns the processor time of a PostgreSQL server in milliseconds: of its main process and of all processes that this
 * one has started.
 */
export const postgresCpuMs = (serverPid: number): number | null => {
  const server = timesOf(serverPid);
  if (server === null) return null;
  let sum = server.ownMs + server.childrenMs;
  for (const name of readdirSync('/proc')) {
    const times = /^[0-9]+$/.test(name) ? timesOf(name) : null;
    if (times?.parent === serverPid) sum += times.ownMs;
  }
  return sum;
};
