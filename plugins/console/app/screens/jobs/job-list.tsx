import { useState } from 'preact/hooks';
import type { AnswerOf } from '../../../../../client/client.ts';
import { Button } from '../../kit/button.tsx';
import { Empty } from '../../kit/state.tsx';
import type { Actions } from '../../kit/use-actions.tsx';
import { useDebounced } from '../../kit/use-debounced.ts';
import { useLive } from '../../kit/use-live.tsx';
import { usePaged } from '../../kit/use-paged.ts';
import { VirtualRows } from '../../kit/virtual-rows.tsx';
import { useSession } from '../../session/session.ts';
import { JobLine } from './job-line.tsx';

export type ListedJob = AnswerOf<'GET /v1/jobs'>['jobs'][number];
type Status = ListedJob['status'];

const STATUSES: readonly Status[] = ['pending', 'running', 'done', 'failed'];
const PAGE_JOBS = 100;
/** The number of the newest jobs that a mark names. */
const MARKED = 20;

const markOf = (jobs: readonly ListedJob[]): string =>
  jobs
    .slice(0, MARKED)
    .map(({ job_id: id, status }) => `${id} ${status}`)
    .join();

interface ListProps {
  readonly round: number;
  readonly actions: Actions;
  /** Called when a running job has ended. */
  readonly onDone: () => void;
}

export const JobList = ({ round, actions, onDone }: ListProps) => {
  const { client, texts, own } = useSession('jobs');
  const [status, setStatus] = useState('');
  const [type, setType] = useState('');
  const settled = useDebounced(type.trim());
  const filters = { ...(status !== '' && { status: status as Status }), ...(settled !== '' && { type: settled }) };
  const jobs = usePaged<ListedJob>(
    async (cursor, signal) => {
      const query = { ...filters, limit: PAGE_JOBS, ...(cursor && { cursor }) };
      const page = await client.call('GET /v1/jobs', { query, signal });
      return { items: page.jobs, cursor: page.cursor };
    },
    [status, settled, round],
  );
  const live = useLive({
    probe: async (signal) => {
      const page = await client.call('GET /v1/jobs', { query: { ...filters, limit: MARKED }, signal });
      return markOf(page.jobs);
    },
    shown: jobs.isLoading ? undefined : markOf(jobs.items),
    onChange: () => jobs.refresh(({ job_id: id }) => id),
  });
  return (
    <>
      <div class="bar">
        <select aria-label={own.show} value={status} onChange={({ currentTarget }) => setStatus(currentTarget.value)}>
          <option value="">{own.all}</option>
          {STATUSES.map((each) => (
            <option key={each} value={each}>
              {own.states[each]}
            </option>
          ))}
        </select>
        <input
          class="grow"
          type="search"
          aria-label={own.type}
          placeholder={own.type}
          value={type}
          onInput={({ currentTarget }) => setType(currentTarget.value)}
        />
        <Button text={own.reload} onClick={jobs.reload} />
        {live}
      </div>
      <VirtualRows
        label={texts.screens.jobs}
        paged={jobs}
        keyOf={({ job_id: id }) => id}
        empty={<Empty title={own.nothing} hint={own.nothingHint} />}
      >
        {(job) => <JobLine job={job} actions={actions} onDone={onDone} />}
      </VirtualRows>
    </>
  );
};
