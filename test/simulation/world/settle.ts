/** Work of the runtime that still has something to say. Timers are left out: what waits for one waits for real time. */
const UNFINISHED = new Set(['Immediate', 'FSReqPromise', 'FSReqCallback']);

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/**
 * Resolves when nothing in the process has work left: no promise can go on, no turn of the event loop is asked for and
 * no file is being read. What is left waits for virtual time. This is exact, and not a number of turns that was enough
 * so far: every turn runs all promises that can go on, and the runtime lists what it will come back for.
 */
export const settle = async (): Promise<void> => {
  do await turn();
  while (process.getActiveResourcesInfo().some((resource) => UNFINISHED.has(resource)));
};
