import { formatInstant, INSTANT_JSON, listOf, objectOf, orNull, STRING_JSON } from '../../kernel/plugin-api.ts';
import type { RunReport, TaskReport } from './upkeep-api.ts';

const RUN_JSON = objectOf(
  {
    due_at: INSTANT_JSON,
    status: { type: 'string', enum: ['pending', 'running', 'done', 'failed'] },
    job_id: STRING_JSON,
    started_at: INSTANT_JSON,
    completed_at: INSTANT_JSON,
    result: { type: 'object', additionalProperties: true },
    error: STRING_JSON,
  },
  { optional: ['started_at', 'completed_at', 'result', 'error'] },
);

export const UPKEEP_JSON = objectOf({
  tasks: listOf(
    objectOf({
      name: STRING_JSON,
      summary: STRING_JSON,
      per: { type: 'string', enum: ['tenant', 'node'] },
      patterns: listOf(STRING_JSON),
      next_at: orNull(INSTANT_JSON),
      runs: listOf(RUN_JSON),
    }),
  ),
});

export const taskJson = ({ name, summary, per, patterns, nextMs, runs }: TaskReport) => ({
  name,
  summary,
  per,
  patterns,
  next_at: nextMs === null ? null : formatInstant(nextMs),
  runs: runs.map(runJson),
});

const runJson = ({ dueMs, status, jobId, startedMs, completedMs, result, error }: RunReport) => ({
  due_at: formatInstant(dueMs),
  status,
  job_id: jobId,
  ...(startedMs === null ? {} : { started_at: formatInstant(startedMs) }),
  ...(completedMs === null ? {} : { completed_at: formatInstant(completedMs) }),
  ...(result === null ? {} : { result }),
  ...(error === null ? {} : { error }),
});
