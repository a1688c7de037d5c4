import { Button } from '../../kit/button.tsx';
import { ConfirmDialog } from '../../kit/confirm-dialog.tsx';
import { FormDialog } from '../../kit/form-dialog.tsx';
import { Instant } from '../../kit/instant.tsx';
import { JobProgress } from '../../kit/job-progress.tsx';
import { RecordLine } from '../../kit/record-line.tsx';
import { ShownText } from '../../kit/shown-text.tsx';
import type { Actions } from '../../kit/use-actions.tsx';
import { useSession } from '../../session/session.ts';
import { fill } from '../../texts/texts.ts';
import { JobDetail } from './job-detail.tsx';
import type { ListedJob } from './job-list.tsx';

const STATE_CLASS = { pending: '', running: 'warn', done: 'good', failed: 'bad' } as const;

interface LineProps {
  readonly job: ListedJob;
  readonly actions: Actions;
  /** Called when a running job has ended. */
  readonly onDone: () => void;
}

export const JobLine = ({ job, actions, onDone }: LineProps) => {
  const { own } = useSession('jobs');
  const { job_id: id, job_type: type, status } = job;
  const isUnderWay = status === 'pending' || status === 'running';
  return (
    <RecordLine
      head={
        <>
          <strong>{type}</strong>
          <span class={`tag ${STATE_CLASS[status]}`}>{own.states[status]}</span>
          {job.scope !== null && <span class="tag">{job.scope}</span>}
        </>
      }
      about={
        <>
          <span>
            {own.created} <Instant at={job.created_at} relative />
          </span>
          {job.completed_at !== undefined && (
            <span>
              {own.ended} <Instant at={job.completed_at} relative />
            </span>
          )}
          {job.error !== undefined && <ShownText text={job.error} />}
          {isUnderWay && <JobProgress id={id} onDone={onDone} onFailed={onDone} />}
        </>
      }
      actions={
        <>
          <Button
            text={own.detail}
            aria-label={fill(own.detailOf, { type })}
            onClick={() => actions.show(<JobDetail id={id} onClose={actions.close} />)}
          />
          {isUnderWay && (
            <Button
              text={own.cancel}
              class="danger"
              aria-label={fill(own.cancelOf, { type })}
              onClick={() => actions.show(<CancelJob job={job} actions={actions} />)}
            />
          )}
          {status === 'failed' && (
            <Button
              text={own.resume}
              aria-label={fill(own.resumeOf, { type })}
              onClick={() => actions.show(<ResumeJob job={job} actions={actions} />)}
            />
          )}
        </>
      }
    />
  );
};

const CancelJob = ({ job, actions }: Omit<LineProps, 'onDone'>) => {
  const { client, own } = useSession('jobs');
  const { job_type: type } = job;
  return (
    <ConfirmDialog
      title={fill(own.cancelOf, { type })}
      submit={own.cancel}
      onClose={actions.close}
      onConfirm={async () => {
        await client.call('DELETE /v1/jobs/{id}', { params: { id: job.job_id } });
        actions.done(fill(own.cancelled, { type }));
      }}
    >
      <p>{own.cancelText}</p>
    </ConfirmDialog>
  );
};

const ResumeJob = ({ job, actions }: Omit<LineProps, 'onDone'>) => {
  const { client, own } = useSession('jobs');
  const { job_type: type } = job;
  return (
    <FormDialog
      title={fill(own.resumeOf, { type })}
      submit={own.resume}
      onClose={actions.close}
      onSubmit={async () => {
        await client.call('POST /v1/jobs/{id}/resume', { params: { id: job.job_id } });
        actions.done(fill(own.resumed, { type }));
      }}
    >
      <p>{own.resumeText}</p>
    </FormDialog>
  );
};
