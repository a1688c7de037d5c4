import { useState } from 'preact/hooks';
import { NumberTerms } from '../../kit/number-terms.tsx';
import { ScreenHead } from '../../kit/screen-head.tsx';
import { useActions } from '../../kit/use-actions.tsx';
import { hasRoute, may, useSession } from '../../session/session.ts';
import { JobList } from './job-list.tsx';
import { UpkeepTasks } from './upkeep-tasks.tsx';

/** Jobs of the node, and its scheduled tasks. */
export const Jobs = () => {
  const { texts, reader, setup } = useSession();
  // A task that is started now appears as a job in the list above.
  const [round, setRound] = useState(0);
  const reload = (): void => setRound((before) => before + 1);
  const actions = useActions(reload);
  return (
    <>
      <ScreenHead title={texts.screens.jobs} />
      <p class="lead">{may(reader, 'admin') ? texts.jobs.leadAll : texts.jobs.leadOwn}</p>
      {actions.view}
      <NumberTerms names={['progress']} />
      <JobList round={round} actions={actions} onDone={reload} />
      {may(reader, 'admin') && hasRoute(setup, 'GET /v1/upkeep') && <UpkeepTasks round={round} actions={actions} />}
    </>
  );
};
