import { setTimeout as pause } from 'node:timers/promises';
import { cpuMs, type ServerProcess } from './child-process.ts';

const LOOK_MS = 500;
/** Of processor time between two looks: a node that only keeps its leases uses less. */
const IDLE_MS = 30;
/** Looks in a row. */
const IDLE_LOOKS = 4;
const LIMIT_MS = 1_800_000;

/** Waits until nothing goes on in the background of a server. Returns at once where processor time cannot be read. */
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
