import type { AnswerOf, FactClient } from '../../../../../client/client.ts';
import { Button } from '../../kit/button.tsx';
import { ConfirmDialog } from '../../kit/confirm-dialog.tsx';
import { Instant } from '../../kit/instant.tsx';
import { JobProgress } from '../../kit/job-progress.tsx';
import { RecordLine } from '../../kit/record-line.tsx';
import { ShownText } from '../../kit/shown-text.tsx';
import { Answer } from '../../kit/state.tsx';
import { type Actions, useActions } from '../../kit/use-actions.tsx';
import { useRequest } from '../../kit/use-request.ts';
import { useSession } from '../../session/session.ts';
import { ImportResult } from './import-result.tsx';
import type { ImportDone, RefusedItem } from './send-import.ts';

/** The number of the newest imports that are shown. */
const SHOWN = 10;

type Listed = AnswerOf<'GET /v1/jobs'>['jobs'][number];

/** A job with its result, which only the importer gets. */
type ImportJob = Listed & Partial<ImportDone> & { readonly name?: string; readonly refused_items?: RefusedItem[] };

const STATE_CLASS = { pending: '', running: 'warn', done: 'good', failed: 'bad' } as const;

/** The last imports of the reader: how far they are, what they did, and the way to take them back. */
export const RecentImports = ({ round }: { round: number }) => {
  const { client, own } = useSession('import');
  const asked = useRequest((signal) => readImports(client, signal), [round]);
  const actions = useActions(asked.reload);
  return (
    <section aria-label={own.recent}>
      {actions.view}
      <Answer asked={asked}>
        {(jobs) =>
          jobs.length > 0 && (
            <>
              <h2>{own.recent}</h2>
              <p class="hint">{own.recentHint}</p>
              {jobs.map((job) => (
                <ImportLine key={job.job_id} job={job} actions={actions} onEnd={asked.reload} />
              ))}
            </>
          )
        }
      </Answer>
    </section>
  );
};

const readImports = async (client: FactClient, signal: AbortSignal): Promise<readonly ImportJob[]> => {
  const { jobs } = await client.call('GET /v1/jobs', { query: { type: 'imports.run', limit: SHOWN }, signal });
  return Promise.all(
    jobs.map(async (job): Promise<ImportJob> => {
      if (job.status !== 'done') return job;
      return client.call('GET /v1/jobs/{id}', { params: { id: job.job_id }, signal }) as Promise<ImportJob>;
    }),
  );
};

interface LineProps {
  readonly job: ImportJob;
  readonly actions: Actions;
  /** Called when a running import has ended. */
  readonly onEnd: () => void;
}

const ImportLine = ({ job, actions, onEnd }: LineProps) => {
  const { import: own, jobs } = useSession().texts;
  const { job_id: id, status, name, error } = job;
  const isUnderWay = status === 'pending' || status === 'running';
  return (
    <>
      <RecordLine
        head={
          <>
            <strong>{name === undefined ? own.one : <ShownText text={name} />}</strong>
            <span class={`tag ${STATE_CLASS[status]}`}>{jobs.states[status]}</span>
            {job.scope !== null && <span class="tag">{job.scope}</span>}
          </>
        }
        about={
          <>
            <Instant at={job.created_at} relative />
            {error !== undefined && <ShownText text={error} />}
            {isUnderWay && <JobProgress id={id} onDone={onEnd} onFailed={onEnd} />}
          </>
        }
        actions={
          isUnderWay && (
            <Button
              text={own.stop}
              class="danger"
              onClick={() => actions.show(<StopImport id={id} actions={actions} />)}
            />
          )
        }
      />
      {isWhole(job) && <ImportResult done={{ ...job, items: job.refused_items ?? [] }} />}
    </>
  );
};

const isWhole = (job: ImportJob): job is ImportJob & ImportDone => job.status === 'done' && job.sources !== undefined;

const StopImport = ({ id, actions }: { id: string; actions: Actions }) => {
  const { client, own } = useSession('import');
  return (
    <ConfirmDialog
      title={own.stop}
      submit={own.stop}
      onClose={actions.close}
      onConfirm={async () => {
        await client.call('DELETE /v1/jobs/{id}', { params: { id } });
        actions.done(own.stopped);
      }}
    >
      <p>{own.stopText}</p>
    </ConfirmDialog>
  );
};
