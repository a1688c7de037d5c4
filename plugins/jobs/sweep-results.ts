import { namesInText } from '../../kernel/internal-api.ts';
import { type ErasureSweep, type PluginTables, sealJson } from '../../kernel/plugin-api.ts';
import { QUEUE } from './job-row.ts';

const JOBS_AT_ONCE = 100;

interface EndedJob {
  readonly job_id: string;
  readonly payload: string;
  readonly result: string | null;
  readonly error: string | null;
  readonly checkpoint: string | null;
}

/** Empties the input and the result of ended jobs that name an erased fact. */
export const sweepResults = (tables: PluginTables): ErasureSweep => ({
  name: 'jobs results',
  async step({ tenantId, named }, after, transaction) {
    const own = tables.in(transaction);
    const rows = (await own(QUEUE)
      .where({ tenant_id: tenantId })
      .where('job_id', '>', after ?? '')
      .whereIn('status', ['done', 'failed'])
      .orderBy('job_id')
      .limit(JOBS_AT_ONCE)
      .select('job_id', 'payload', 'result', 'error', 'checkpoint')) as readonly EndedJob[];
    const names = rows.map(({ payload, result, error, checkpoint }) =>
      namesInText([payload, result, error, checkpoint].join('\n')),
    );
    const erased = await named(names.flat());
    const found = rows.filter((_, at) => names[at]?.some((name) => erased.has(name))).map(({ job_id }) => job_id);
    if (found.length > 0) {
      await own(QUEUE)
        .where({ tenant_id: tenantId })
        .whereIn('job_id', found)
        .update({ payload: sealJson({}), result: null, error: null, checkpoint: null, emptied: 1 });
    }
    const isOver = rows.length < JOBS_AT_ONCE;
    return { after: isOver ? null : (rows.at(-1)?.job_id ?? null), counts: { jobs: found.length } };
  },
});
