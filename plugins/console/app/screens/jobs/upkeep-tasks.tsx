import type { AnswerOf } from '../../../../../client/client.ts';
import { Button } from '../../kit/button.tsx';
import { Dialog } from '../../kit/dialog.tsx';
import { FormDialog } from '../../kit/form-dialog.tsx';
import { Instant } from '../../kit/instant.tsx';
import { JsonText } from '../../kit/json-text.tsx';
import { NumberTerms } from '../../kit/number-terms.tsx';
import { type Column, RecordTable } from '../../kit/record-table.tsx';
import { Answer, Empty } from '../../kit/state.tsx';
import type { Actions } from '../../kit/use-actions.tsx';
import { useRequest } from '../../kit/use-request.ts';
import { hasRoute, useSession } from '../../session/session.ts';
import { fill, type Texts } from '../../texts/texts.ts';

type Task = AnswerOf<'GET /v1/upkeep'>['tasks'][number];

const STATE_CLASS = { pending: '', running: 'warn', done: 'good', failed: 'bad' } as const;

/** The scheduled tasks of the node, with their last results. */
export const UpkeepTasks = ({ round, actions }: { round: number; actions: Actions }) => {
  const { client, texts, setup, own } = useSession('upkeep');
  const asked = useRequest((signal) => client.call('GET /v1/upkeep', { signal }), [round]);
  const canRun = hasRoute(setup, 'POST /v1/upkeep/{task}/run');
  return (
    <section>
      <h2>{own.title}</h2>
      <p class="lead">{own.lead}</p>
      <NumberTerms names={['schedule']} />
      <Answer asked={asked}>
        {({ tasks }) => (
          <RecordTable
            label={own.title}
            columns={columnsOf(texts)}
            rows={tasks}
            keyOf={({ name }) => name}
            empty={<Empty title={own.nothing} />}
            actionsTitle={texts.actions}
            actions={(task) => (
              <>
                {task.runs.length > 0 && (
                  <Button
                    text={own.runs}
                    aria-label={fill(own.runsOf, { task: task.name })}
                    onClick={() =>
                      actions.show(
                        <Dialog title={fill(own.runsOf, { task: task.name })} onClose={actions.close}>
                          <JsonText label={own.runs} value={task.runs} />
                        </Dialog>,
                      )
                    }
                  />
                )}
                {canRun && (
                  <Button
                    text={own.run}
                    aria-label={fill(own.runOf, { task: task.name })}
                    onClick={() => actions.show(<RunTask task={task} actions={actions} />)}
                  />
                )}
              </>
            )}
          />
        )}
      </Answer>
    </section>
  );
};

const columnsOf = ({ upkeep: own, jobs }: Texts): readonly Column<Task>[] => [
  {
    title: own.task,
    show: ({ name, summary }) => (
      <>
        <strong>{name}</strong>
        <div class="muted">{summary}</div>
      </>
    ),
  },
  {
    title: own.schedule,
    show: ({ patterns }) =>
      patterns.length === 0 ? <span class="muted">{own.never}</span> : <code>{patterns.join('; ')}</code>,
  },
  { title: own.next, show: ({ next_at: at }) => <Instant at={at} relative /> },
  {
    title: own.last,
    show: ({ runs: [last] }) =>
      last === undefined ? (
        '–'
      ) : (
        <>
          <span class={`tag ${STATE_CLASS[last.status]}`}>{jobs.states[last.status]}</span>{' '}
          <Instant at={last.completed_at ?? last.started_at ?? last.due_at} relative />
        </>
      ),
  },
];

const RunTask = ({ task, actions }: { task: Task; actions: Actions }) => {
  const { client, own } = useSession('upkeep');
  return (
    <FormDialog
      title={fill(own.runOf, { task: task.name })}
      submit={own.run}
      onClose={actions.close}
      onSubmit={async () => {
        await client.call('POST /v1/upkeep/{task}/run', { params: { task: task.name } });
        actions.done(fill(own.started, { task: task.name }));
      }}
    >
      <p>{fill(own.runText, { summary: task.summary })}</p>
    </FormDialog>
  );
};
