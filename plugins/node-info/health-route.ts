import { type Clock, type HookCaller, type Logger, nodeHealth, type Route } from '../../kernel/plugin-api.ts';
import { keptAnswer } from './kept-answer.ts';

const HEALTH_KEPT_MS = 1_000;
/** A check that hangs is itself a finding, and whoever asks must not wait for it. */
const HEALTH_LIMIT_MS = 1_000;

export interface HealthParts {
  readonly hooks: HookCaller;
  readonly clock: Clock;
  readonly log: Logger;
}

/** `GET /healthz`: both bodies are fixed; what is wrong goes to the log. */
export const healthRoute = (parts: HealthParts): Route => {
  const { clock, log } = parts;
  let wasHealthy = true;
  const check = async (): Promise<boolean> => {
    const problem = await problemOf(parts);
    if (problem !== null && wasHealthy) log.warn('the node is not healthy', problem);
    if (problem === null && !wasHealthy) log.info('the node is healthy again');
    wasHealthy = problem === null;
    return wasHealthy;
  };
  const isHealthy = keptAnswer(check, HEALTH_KEPT_MS, () => clock.monotonicMs());
  return {
    method: 'GET',
    path: '/healthz',
    summary: 'Whether the node can serve and store',
    access: 'open',
    handle: async () =>
      (await isHealthy()) ? { status: 200, body: { status: 'ok' } } : { status: 503, body: { status: 'unavailable' } },
  };
};

/** What is wrong, as fields for the log; null when nothing is. Never rejects. */
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
