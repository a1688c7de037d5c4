/** Work of the runtime that still has something to say. Timers are left out: what waits for one waits for real time. */
const UNFINISHED = new Set(['Immediate', 'FSReqPromise', 'FSReqCallback']);

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/**
 * Resolves when nothing in the process has work left: no promise can go on, no turn of the event loop is asked for and
 * no file is being read. The remaining work waits for virtual time. This is exact: every turn runs all promises that
 * can go on, and the runtime lists its unfinished work.
 */
export const settle = async (): Promise<void> => {
  do await turn();
  while (process.getActiveResourcesInfo().some((resource) => UNFINISHED.has(resource)));
};
