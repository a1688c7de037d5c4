import { useState } from 'preact/hooks';
import type { AnswerOf } from '../../../../../client/client.ts';
import { Button } from '../../kit/button.tsx';
import { Instant } from '../../kit/instant.tsx';
import { JobProgress } from '../../kit/job-progress.tsx';
import { Problem } from '../../kit/problem.tsx';
import { type Column, RecordTable } from '../../kit/record-table.tsx';
import { ScreenHead } from '../../kit/screen-head.tsx';
import { ShownText } from '../../kit/shown-text.tsx';
import { Answer, Empty } from '../../kit/state.tsx';
import { useAction } from '../../kit/use-action.ts';
import { useActions } from '../../kit/use-actions.tsx';
import { useRequest } from '../../kit/use-request.ts';
import { useSession } from '../../session/session.ts';
import { fill, plural, spellNumber, type Texts } from '../../texts/texts.ts';
import { RestoreDialog } from './restore-dialog.tsx';

export type Backup = AnswerOf<'GET /v1/backups'>['backups'][number];

/** The backups of the node, one more on request, and the steps of a restore. */
export const Backups = () => {
  const { client, texts, own } = useSession('backups');
  const [job, setJob] = useState<string>();
  const asked = useRequest((signal) => client.call('GET /v1/backups', { signal }), []);
  const actions = useActions(asked.reload);
  const { isWorking, error, run } = useAction();
  const begin = (): void =>
    void run(async () => {
      const { job_id: id } = await client.call('POST /v1/backups');
      setJob(id);
    });
  const finish = (): void => {
    setJob(undefined);
    actions.done(own.made);
  };
  return (
    <>
      <ScreenHead title={texts.screens.backups}>
        <Button text={own.make} class="primary" disabled={isWorking || job !== undefined} onClick={begin} />
      </ScreenHead>
      <p class="lead">{own.lead}</p>
      {actions.view}
      {job !== undefined && <JobProgress key={job} id={job} onDone={finish} />}
      {error !== undefined && <Problem error={error} />}
      <Answer asked={asked}>
        {({ backups, truncated }) => (
          <>
            <RecordTable
              label={texts.screens.backups}
              columns={columnsOf(own)}
              rows={backups}
              keyOf={({ id }) => id}
              empty={<Empty title={own.nothing} hint={own.nothingHint} />}
              actionsTitle={texts.actions}
              actions={(backup) =>
                backup.readable && (
                  <Button
                    text={own.restore}
                    aria-label={fill(own.restoreOf, { id: backup.id })}
                    onClick={() => actions.show(<RestoreDialog backup={backup} onClose={actions.close} />)}
                  />
                )
              }
            />
            {truncated && <p class="muted">{own.truncated}</p>}
          </>
        )}
      </Answer>
    </>
  );
};

const MEBIBYTE = 1_048_576;

const columnsOf = (own: Texts['backups']): readonly Column<Backup>[] => [
  {
    title: own.backup,
    show: ({ id, created_at: at }) => (
      <>
        {at !== null && <Instant at={at} relative />}
        <div class="muted">
          <ShownText text={id} />
        </div>
      </>
    ),
  },
  {
    title: own.state,
    show: ({ damage, erasures_since: erasures }) => (
      <>
        <span class={`tag ${damage === null ? 'good' : 'bad'}`}>{damage === null ? own.readable : own.damaged}</span>
        {damage !== null && (
          <div>
            <bdi>{damage}</bdi>
          </div>
        )}
        {erasures > 0 && <div class="muted">{plural(own.erasures, erasures)}</div>}
      </>
    ),
  },
  { title: own.facts, isNumber: true, show: ({ facts }) => spellNumber(facts) },
  { title: own.size, isNumber: true, show: ({ bytes }) => `${spellNumber(Math.ceil(bytes / MEBIBYTE))} MiB` },
  { title: own.key, show: ({ has_key: hasKey }) => (hasKey ? own.withKey : own.withoutKey) },
];
