import type { NodeSelf, PluginContext, Requires } from '../../../kernel/plugin-api.ts';
import type { JobQueue } from '../../jobs/jobs-api.ts';
import { rebuildableIndexes } from '../search-api.ts';
import { BUILD_LOOK_MS, BUILD_WANTED, RebuildWords, type RebuildWordsParts } from './rebuild-words.ts';
import { REINDEX_JOB, runReindex } from './reindex-job.ts';
import { reindexRoute, reindexStateRoute } from './reindex-routes.ts';

type Context = Pick<PluginContext<Requires, unknown>, 'hooks' | 'log' | 'on' | 'onSignal' | 'every' | 'route'>;

export interface ReindexNeeds extends RebuildWordsParts {
  readonly self: NodeSelf;
  /** Undefined on a node without background jobs. */
  readonly jobs: JobQueue | undefined;
}

/**
 * The part of the plugin that rebuilds indexes: its routes, its job, and the rebuild of the word index in this process.
 */
export const openReindex = (context: Context, { jobs, self, ...parts }: ReindexNeeds): RebuildWords => {
  const { log, on, onSignal, every } = context;
  const words = new RebuildWords(parts);
  on(rebuildableIndexes, () => words);
  const look = (): void => {
    words.look().catch((error: unknown) => log.warn('the search index could not be built anew yet', { error }));
  };
  onSignal(BUILD_WANTED, look);
  every(BUILD_LOOK_MS, look);
  openReindexJob(context, { jobs, self });
  return words;
};

/** The routes and the job that rebuild the indexes of all plugins. */
export const openReindexJob = (
  { hooks, log, route }: Pick<Context, 'hooks' | 'log' | 'route'>,
  { jobs, self }: Pick<ReindexNeeds, 'jobs' | 'self'>,
): void => {
  route(reindexRoute({ hooks, jobs }));
  route(reindexStateRoute({ hooks, jobs }));
  jobs?.handle(REINDEX_JOB, {
    run: (job) => runReindex(job, { hooks, jobs, self, log }),
    present: async (result) => result,
    steering: 'admin',
    // The job works on the facts of all tenants.
    covers: (_payload, { caller }) => caller.permissions.has('admin'),
  });
};
