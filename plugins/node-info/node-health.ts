import { type Clock, type HookCaller, keptAnswer, type Logger, nodeHealth } from '../../kernel/plugin-api.ts';
import type { NodeInfo } from './node-info-api.ts';

const HEALTH_KEPT_MS = 1_000;
/** A check that hangs is itself a problem, and its caller must not wait for it. */
const HEALTH_LIMIT_MS = 1_000;

export interface HealthParts {
  readonly hooks: HookCaller;
  readonly clock: Clock;
  readonly log: Logger;
}

/** See `NodeInfo.isHealthy`. */
export const createHealthCheck = (parts: HealthParts): NodeInfo['isHealthy'] => {
  const { clock, log } = parts;
  let wasHealthy = true;
  const check = async (): Promise<boolean> => {
    const problem = await problemOf(parts);
    if (problem !== null && wasHealthy) log.warn('the node is not healthy', problem);
    if (problem === null && !wasHealthy) log.info('the node is healthy again');
    wasHealthy = problem === null;
    return wasHealthy;
  };
  return keptAnswer(check, HEALTH_KEPT_MS, () => clock.monotonicMs());
};

/** Returns the problems as fields for the log, or null when there are none. Never rejects. */
const problemOf = async ({ hooks, clock }: HealthParts): Promise<Readonly<Record<string, unknown>> | null> => {
  let cancel = (): void => {};
  const late = new Promise<readonly string[]>((resolve) => {
    cancel = clock.schedule(HEALTH_LIMIT_MS, () => resolve([`the checks took longer than ${HEALTH_LIMIT_MS} ms`]));
  });
  try {
    const problems = await Promise.race([hooks.collect(nodeHealth, {}), late]);
    return problems.length === 0 ? null : { problems };
  } catch (error) {
    return { error };
  } finally {
    cancel();
  }
};
