import { limitedEntity, othersGoFirst } from '../../kernel/internal-api.ts';
import { type Principal, requirePermission, requireReadScope } from '../../kernel/plugin-api.ts';
import type { JobQueue } from '../jobs/jobs-api.ts';
import { checkPage, checksOf, hasMoreThan, rulesOf } from './check-facts.ts';
import type { Lint, LintJob, LintQuestion, LintReport } from './lint-api.ts';
import { LINT_JOB, type LintOrder, type LintParts, orderOf } from './lint-job.ts';
import { LintWalk } from './lint-walk.ts';

/** The maximum size of the findings in a reply, in bytes. */
const ANSWER_FINDING_BYTES = 8 * 1024 * 1024;

/** The cost of a run outside jobs, which reads every matching fact below the threshold of a job. */
const RUN_COST = 1_000;

/** The maximum number of jobs of one caller and its programs that wait or run. */
const MOST_OPEN_JOBS = 8;

/** Estimated speed of a job, which leaves time for other work. Shown to people. */
const FACTS_PER_SECOND = 5_000;

export const createLint = (parts: LintParts, jobs: JobQueue | undefined): Lint => {
  const waiting = new Map<string, Promise<LintReport | LintJob>>();
  return {
    async check(caller, question) {
      requirePermission(caller, 'read');
      if (question.scope !== 'all') requireReadScope(caller, question.scope);
      // Callers with equal rights and equal requests share a run that waits. A run that has started may lack the latest
      // facts. A run reads the gardens of the caller itself.
      const order = orderOf({ caller, gardens: [] }, question);
      const key = JSON.stringify([caller.tenantId, caller.entityUri, order]);
      const known = waiting.get(key);
      if (known !== undefined) return known;
      const run = parts.turns.run(caller, RUN_COST, async () => {
        // Waits one turn, so that the key is set before a run with a free slot starts.
        await Promise.resolve();
        waiting.delete(key);
        return checkOnce(parts, jobs, { caller, question, key });
      });
      waiting.set(key, run);
      // Removes the entry of a run that is refused before it starts.
      run.catch(() => waiting.get(key) === run && waiting.delete(key));
      return run;
    },
  };
};

interface Asked {
  readonly caller: Principal;
  readonly question: LintQuestion;
  readonly key: string;
}

const checkOnce = async (parts: LintParts, jobs: JobQueue | undefined, asked: Asked): Promise<LintReport | LintJob> => {
  const { facts, names, rules } = parts;
  const { caller, question } = asked;
  const done = await facts.read(caller, 'query', async (reader): Promise<LintReport | LintOrder> => {
    const isLarge = jobs !== undefined && (await hasMoreThan(reader, question, names, jobs.threshold));
    if (isLarge) return orderOf(reader, question);
    const walk = new LintWalk(rulesOf(question, ANSWER_FINDING_BYTES, rules?.at(caller.tenantId)));
    while (await checkPage(reader, question, walk, names)) await othersGoFirst();
    const { findings, isTruncated } = walk.list;
    const { factCount, proposals } = walk;
    return { findings, proposals, isTruncated, checkedMs: reader.nowMs, checks: checksOf(question), factCount };
  });
  return 'scopes' in done ? enqueue(jobs as JobQueue, asked, done) : done;
};

const enqueue = async (jobs: JobQueue, { caller, question, key }: Asked, order: LintOrder): Promise<LintJob> => {
  const estimatedSeconds = Math.ceil(jobs.threshold / FACTS_PER_SECOND);
  const jobId = await jobs.enqueue({
    type: LINT_JOB,
    tenantId: caller.tenantId,
    creator: caller.entityUri,
    holderUri: limitedEntity(caller),
    payload: { ...order },
    scope: question.scope,
    estimatedSeconds,
    dedupe: { key, until: 'ended' },
    mostOpen: MOST_OPEN_JOBS,
  });
  return { jobId, estimatedSeconds };
};
