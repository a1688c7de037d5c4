/** Kinds of pending work in the Node.js runtime. Timers are excluded, because they use real time. */
const UNFINISHED = new Set(['Immediate', 'FSReqPromise', 'FSReqCallback']);

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/**
 * Resolves when the process is idle: no pending promise, event loop turn or file read. All other work waits for virtual
 * time. The check is exact, because the runtime lists its pending work.
 */
export const settle = async (): Promise<void> => {
  do await turn();
  while (process.getActiveResourcesInfo().some((resource) => UNFINISHED.has(resource)));
};
