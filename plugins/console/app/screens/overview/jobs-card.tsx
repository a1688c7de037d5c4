import type { AnswerOf } from '../../../../../client/client.ts';
import { Instant } from '../../kit/instant.tsx';
import { ShownText } from '../../kit/shown-text.tsx';
import { Answer } from '../../kit/state.tsx';
import { useRequest } from '../../kit/use-request.ts';
import { useSession } from '../../session/session.ts';
import { OverviewCard } from './overview-card.tsx';

type Job = AnswerOf<'GET /v1/jobs'>['jobs'][number];

const SHOWN = 3;
const STATUSES = ['running', 'pending', 'failed'] as const;

/** Running, waiting and failed jobs. */
export const JobsCard = ({ round }: { round: number }) => {
  const { client, own } = useSession('overview');
  const asked = useRequest(
    async (signal) => {
      const pages: Job[][] = [];
      for (const status of STATUSES) {
        pages.push((await client.call('GET /v1/jobs', { query: { status, limit: SHOWN }, signal })).jobs);
      }
      return pages.flat();
    },
    [round],
  );
  const hasFailed = asked.data?.some(({ status }) => status === 'failed') === true;
  return (
    <OverviewCard title={own.jobs} screen="jobs" needs={hasFailed}>
      <Answer asked={asked}>
        {(jobs) =>
          jobs.length === 0 ? (
            <p class="muted">{own.noJobs}</p>
          ) : (
            <ul class="overview-list">
              {jobs.map((job) => (
                <JobLine key={job.job_id} job={job} />
              ))}
            </ul>
          )
        }
      </Answer>
    </OverviewCard>
  );
};

const JobLine = ({ job }: { job: Job }) => {
  const { own } = useSession('overview');
  const { job_type: type, status, progress, error, completed_at: ended, created_at: begun } = job;
  return (
    <li>
      <ShownText text={type} /> <span class={status === 'failed' ? 'tag bad' : 'tag'}>{own.jobStatuses[status]}</span>{' '}
      <span class="muted">
        <Instant at={ended ?? begun} relative />
      </span>
      {progress !== undefined && status === 'running' && (
        <progress
          aria-label={own.progress}
          {...(progress.total !== null && { value: progress.done, max: progress.total })}
        />
      )}
      {error !== undefined && (
        <div class="muted clamped">
          <ShownText text={error} />
        </div>
      )}
    </li>
  );
};
