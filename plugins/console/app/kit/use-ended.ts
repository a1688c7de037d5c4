import { useMemo } from 'preact/hooks';
import type { Fact } from '../../../../client/client.ts';
import { hasRoute, useSession } from '../session/session.ts';
import { type Ended, endedIn } from './ended-facts.ts';
import { nowMs } from './platform.ts';

const NONE: ReadonlyMap<string, Ended> = new Map();

/** Which of these facts ended, by id. They have to be all that their places have: what is left out may have won. */
export const useEnded = (facts: readonly Fact[]): ReadonlyMap<string, Ended> => {
  const { setup } = useSession();
  // Without the plugin that marks what contradicts, facts that differ hold beside one another.
  const isMarked = hasRoute(setup, 'GET /v1/conflicts');
  return useMemo(() => (isMarked ? endedIn(facts, `${setup.service}:`, nowMs()) : NONE), [facts, isMarked]);
};
