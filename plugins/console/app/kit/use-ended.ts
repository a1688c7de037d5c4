import { useMemo } from 'preact/hooks';
import type { Fact } from '../../../../client/client.ts';
import { hasRoute, useSession } from '../session/session.ts';
import { type Ended, endedIn } from './ended-facts.ts';
import { nowMs } from './platform.ts';

const NONE: ReadonlyMap<string, Ended> = new Map();

/**
 * Returns the ended facts among these, by id. The list must hold all facts of their places, because a missing one may
 * be the winner.
 */
export const useEnded = (facts: readonly Fact[]): ReadonlyMap<string, Ended> => {
  const { setup } = useSession();
  // Without the plugin that marks contradictions, differing facts hold side by side.
  const isMarked = hasRoute(setup, 'GET /v1/conflicts');
  return useMemo(() => (isMarked ? endedIn(facts, `${setup.service}:`, nowMs()) : NONE), [facts, isMarked]);
};
