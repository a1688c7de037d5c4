import type { FactStore } from '../../../ports/ports.ts';
import { createClockedStore } from '../../fakes/clocked-store.ts';
import { createManualClock, type ManualClock } from '../../fakes/manual-clock.ts';
import { startTestNode, type TestNode, type TestNodeOptions } from '../../kit/start-test-node.ts';
import type { TestReply } from '../../kit/test-request.ts';

/** Starts a node with quotas whose store uses the clock of the test. */
export const startLimitedNode = (
  limits: string,
  { clock = createManualClock(), wrapStore = (store) => store, ...options }: TestNodeOptions = {},
): Promise<TestNode> =>
  startTestNode({
    ...options,
    clock,
    env: { ...options.env, SVC_RATE_LIMITS: limits },
    wrapStore: (store: FactStore) => createClockedStore(wrapStore(store), () => clock.nowMs()),
  });

let facts = 0;

/** Returns a fact that differs from all earlier ones. */
export const newFact = (): object => {
  facts += 1;
  return {
    entity: `thing:${facts}`,
    relation: 'memory:colour',
    value: { type: 'string', v: 'red' },
    source: 'agent:a',
  };
};

/** Sends this number of requests one after another, and returns the status of each reply. */
export const statusesOf = async (count: number, send: () => Promise<TestReply>): Promise<number[]> => {
  const statuses: number[] = [];
  for (let n = 0; n < count; n += 1) statuses.push((await send()).status);
  return statuses;
};

export const countOf = (statuses: readonly number[], status: number): number =>
  statuses.filter((one) => one === status).length;

/** Advances a clock that several nodes share. */
export const pass = (clock: ManualClock, ms: number): Promise<void> => clock.advance(ms);
