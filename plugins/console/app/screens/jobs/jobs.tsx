import { useState } from 'preact/hooks';
import { ScreenHead } from '../../kit/screen-head.tsx';
import { useActions } from '../../kit/use-actions.tsx';
import { hasRoute, may, useSession } from '../../session/session.ts';
import { JobList } from './job-list.tsx';
import { UpkeepTasks } from './upkeep-tasks.tsx';

/** Long work of the node, and the tasks that it does by a schedule. */
export const Jobs = () => {
  const { texts, reader, setup } = useSession();
  // A task that is run now is a job of the list above it.
  const [round, setRound] = useState(0);
  const reload = (): void => setRound((before) => before + 1);
  const actions = useActions(reload);
  return (
    <>
      <ScreenHead title={texts.screens.jobs} />
      <p class="lead">{may(reader, 'admin') ? texts.jobs.leadAll : texts.jobs.leadOwn}</p>
      {actions.view}
      <JobList round={round} actions={actions} onDone={reload} />
      {may(reader, 'admin') && hasRoute(setup, 'GET /v1/upkeep') && <UpkeepTasks round={round} actions={actions} />}
    </>
  );
};
