import { setTimeout as pause } from 'node:timers/promises';
import { cpuMs, type ServerProcess } from './child-process.ts';

const LOOK_MS = 500;
/**
 * The processor time in milliseconds between two samples below which a node counts as idle. Renewing leases takes less.
 */
const IDLE_MS = 30;
/** The number of idle samples in a row that end the wait. */
const IDLE_LOOKS = 4;
const LIMIT_MS = 1_800_000;

/** Waits until a server has no background work. Returns at once where the system does not report processor time. */
export const untilIdle = async ({ pid }: Pick<ServerProcess, 'pid'>): Promise<void> => {
  const deadline = performance.now() + LIMIT_MS;
  let before = cpuMs(pid);
  for (let idle = 0; idle < IDLE_LOOKS && performance.now() < deadline; ) {
    await pause(LOOK_MS);
    const now = cpuMs(pid);
    if (before === null || now === null) return;
    idle = now - before < IDLE_MS ? idle + 1 : 0;
    before = now;
  }
};
