import type { AnswerOf } from '../../../../../client/client.ts';
import { Button } from '../../kit/button.tsx';
import { ConfirmDialog } from '../../kit/confirm-dialog.tsx';
import { Instant } from '../../kit/instant.tsx';
import { type Column, RecordTable } from '../../kit/record-table.tsx';
import { ScreenHead } from '../../kit/screen-head.tsx';
import { ShownText } from '../../kit/shown-text.tsx';
import { Answer, Empty } from '../../kit/state.tsx';
import { Tags } from '../../kit/tags.tsx';
import { type Actions, useActions } from '../../kit/use-actions.tsx';
import { useRequest } from '../../kit/use-request.ts';
import { useSession } from '../../session/session.ts';
import { fill, type Texts } from '../../texts/texts.ts';

type Grant = AnswerOf<'GET /v1/oauth/grants'>['grants'][number];

/** Remote clients to which the reader gave access; for an administrator those of everybody. */
export const Grants = () => {
  const { client, texts, own } = useSession('grants');
  const grants = useRequest((signal) => client.call('GET /v1/oauth/grants', { signal }), []);
  const actions = useActions(grants.reload);
  return (
    <section>
      <ScreenHead title={own.title} level={2} />
      {actions.view}
      <Answer asked={grants}>
        {({ grants: all }) => (
          <RecordTable
            label={own.title}
            columns={columnsOf(own)}
            rows={all}
            keyOf={({ id }) => id}
            empty={<Empty title={own.nothing} hint={own.nothingHint} />}
            actionsTitle={texts.actions}
            actions={(grant) => (
              <Button
                text={own.end}
                class="danger"
                aria-label={fill(own.endOf, { name: grant.client_name })}
                onClick={() => actions.show(<EndGrant grant={grant} actions={actions} />)}
              />
            )}
          />
        )}
      </Answer>
    </section>
  );
};

const columnsOf = (texts: Texts['grants']): readonly Column<Grant>[] => [
  {
    title: texts.client,
    show: ({ client_name: name, client_host: host, entity_uri: entity }) => (
      <>
        <ShownText text={name} />
        <div class="muted">
          <ShownText text={host} />
        </div>
        <div class="mono muted">
          <ShownText text={entity} />
        </div>
      </>
    ),
  },
  { title: texts.person, show: ({ person_uri: person }) => <ShownText text={person} /> },
  { title: texts.permissions, show: ({ permissions }) => <Tags words={permissions} /> },
  { title: texts.scopes, show: ({ allowed_scopes: scopes }) => <Tags words={scopes} /> },
  { title: texts.given, show: ({ created_at: at }) => <Instant at={at} relative /> },
  { title: texts.ends, show: ({ expires_at: at }) => <Instant at={at} relative /> },
];

const EndGrant = ({ grant, actions }: { grant: Grant; actions: Actions }) => {
  const { client, own } = useSession('grants');
  const name = grant.client_name;
  return (
    <ConfirmDialog
      title={fill(own.endOf, { name })}
      submit={own.end}
      onClose={actions.close}
      onConfirm={async () => {
        await client.call('DELETE /v1/oauth/grants/{grant_id}', { params: { grant_id: grant.id } });
        actions.done(fill(own.ended, { name }));
      }}
    >
      <p>{own.endText}</p>
    </ConfirmDialog>
  );
};
