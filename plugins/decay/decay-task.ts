import type { UpkeepTask } from '../upkeep/upkeep-api.ts';
import { ownerOf, stateOf } from './sweep-job.ts';
import type { SweptFacts } from './swept-facts.ts';

/** The scheduled sweep: with the settings of the node, in every scope, outside gardens. */
export const decayTask = (swept: SweptFacts): UpkeepTask => ({
  name: 'decay',
  summary: 'lets facts end that the settings of decay name',
  per: 'tenant',
  async start({ caller, job }) {
    const { scanned, decayed } = await swept.sweepByDefault(caller, stateOf(job.resumedFrom), ownerOf(job, null));
    return { scanned, decayed };
  },
});
