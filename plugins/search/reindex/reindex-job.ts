import { type HookCaller, type Logger, type NodeSelf, nodePrincipal } from '../../../kernel/plugin-api.ts';
import type { JobData, JobQueue, JobRun } from '../../jobs/jobs-api.ts';
import { type RebuildableIndex, rebuildableIndexes } from '../search-api.ts';

export const REINDEX_JOB = 'search.reindex';

export interface ReindexParts {
  readonly hooks: HookCaller;
  readonly jobs: JobQueue;
  readonly self: NodeSelf;
  readonly log: Logger;
}

/** Returns everything that can be rebuilt, in the order in which a job does it. */
export const knownIndexes = (hooks: HookCaller): Promise<readonly RebuildableIndex[]> =>
  hooks.collect(rebuildableIndexes, {});

/** Rebuilds one index after the other, and resumes after an interruption. */
export const runReindex = async (job: JobRun, { hooks, jobs, self, log }: ReindexParts): Promise<JobData> => {
  const what = job.payload['what'] as readonly string[];
  const finished = [...((job.resumedFrom?.['finished'] ?? []) as readonly string[])];
  let place = (job.resumedFrom?.['place'] ?? null) as JobData | null;
  for (const index of await knownIndexes(hooks)) {
    if (!what.includes(index.name) || finished.includes(index.name)) continue;
    log.info('an index is being built anew', { index: index.name });
    try {
      await index.rebuild({
        signal: job.signal,
        resumedFrom: place,
        progress: (now) => job.progress(now),
        checkpoint: async (data) => {
          place = data;
          await job.checkpoint({ finished: [...finished], place: data });
        },
      });
    } catch (error) {
      if (job.signal.aborted && (await wasCancelled(job, jobs, self))) await index.cancelled?.(place);
      throw error;
    }
    finished.push(index.name);
    place = null;
    await job.checkpoint({ finished: [...finished], place });
  }
  return { indexes: finished };
};

/**
 * Distinguishes a cancelled job from a stopping node, whose signal aborts as well. After a stop the work continues
 * later.
 */
const wasCancelled = async ({ id, tenantId, creator }: JobRun, jobs: JobQueue, self: NodeSelf): Promise<boolean> => {
  try {
    const reader = { ...nodePrincipal(self.names, tenantId), entityUri: creator };
    return (await jobs.read(reader, id)).error === 'cancelled';
  } catch {
    // The store is closing, so the job was not cancelled.
    return false;
  }
};
