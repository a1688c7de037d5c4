import { cacheResult } from '../../kernel/internal-api.ts';
import { type Clock, type HookCaller, type Logger, nodeHealth, nodeReadiness } from '../../kernel/plugin-api.ts';
import type { NodeInfo } from './node-info-api.ts';

const HEALTH_KEPT_MS = 1_000;
/** The time limit of a check in milliseconds, because a check that hangs is itself a problem. */
const HEALTH_LIMIT_MS = 1_000;

export interface HealthParts {
  readonly hooks: HookCaller;
  readonly clock: Clock;
  readonly log: Logger;
}

/** See `NodeInfo.isHealthy`. */
export const createHealthCheck = (parts: HealthParts): NodeInfo['isHealthy'] => {
  const check = createCheck(nodeHealth, 'healthy', parts);
  return cacheResult(check, HEALTH_KEPT_MS, () => parts.clock.monotonicMs());
};

/** See `NodeInfo.isReady`. Not cached, because the result must show at once that the node stops. */
export const createReadinessCheck = (parts: HealthParts, isHealthy: NodeInfo['isHealthy']): NodeInfo['isReady'] => {
  const check = createCheck(nodeReadiness, 'ready', parts);
  return async () => (await check()) && (await isHealthy());
};

type CheckHook = typeof nodeHealth;

/** Logs when the result changes. */
const createCheck = (hook: CheckHook, state: string, parts: HealthParts): (() => Promise<boolean>) => {
  const { log } = parts;
  let was = true;
  return async () => {
    const problem = await problemOf(hook, parts);
    if (problem !== null && was) log.warn(`the node is not ${state}`, problem);
    if (problem === null && !was) log.info(`the node is ${state} again`);
    was = problem === null;
    return was;
  };
};

/** Returns the problems as fields for the log, or null if there are none. Never rejects. */
const problemOf = async (
  hook: CheckHook,
  { hooks, clock }: HealthParts,
): Promise<Readonly<Record<string, unknown>> | null> => {
  let cancel = (): void => {};
  const late = new Promise<readonly string[]>((resolve) => {
    cancel = clock.schedule(HEALTH_LIMIT_MS, () => resolve([`the checks took longer than ${HEALTH_LIMIT_MS} ms`]));
  });
  try {
    const problems = await Promise.race([hooks.collect(hook, {}), late]);
    return problems.length === 0 ? null : { problems };
  } catch (error) {
    return { error };
  } finally {
    cancel();
  }
};
