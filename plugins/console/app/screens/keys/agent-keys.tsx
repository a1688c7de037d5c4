import type { AnswerOf } from '../../../../../client/client.ts';
import { Button } from '../../kit/button.tsx';
import { ConfirmDialog } from '../../kit/confirm-dialog.tsx';
import { FormDialog } from '../../kit/form-dialog.tsx';
import { TextField } from '../../kit/form-fields.tsx';
import { Instant } from '../../kit/instant.tsx';
import { type Column, RecordTable } from '../../kit/record-table.tsx';
import { ScreenHead } from '../../kit/screen-head.tsx';
import { ShownText } from '../../kit/shown-text.tsx';
import { Answer, Empty } from '../../kit/state.tsx';
import { type Actions, useActions } from '../../kit/use-actions.tsx';
import { useRequest } from '../../kit/use-request.ts';
import { may, useSession } from '../../session/session.ts';
import { fill, type Texts } from '../../texts/texts.ts';

type AgentKey = AnswerOf<'GET /v1/auth/agent-keys'>[number];

/** Public keys with which the reader signs assertions. */
export const AgentKeys = () => {
  const { client, texts, reader, own } = useSession('agentKeys');
  const keys = useRequest((signal) => client.call('GET /v1/auth/agent-keys', { signal }), []);
  const actions = useActions(keys.reload);
  const canWrite = may(reader, 'write');
  return (
    <section>
      <ScreenHead title={own.title} level={2}>
        {canWrite && <Button text={own.register} onClick={() => actions.show(<NewAgentKey actions={actions} />)} />}
      </ScreenHead>
      {actions.view}
      <Answer asked={keys}>
        {(all) => (
          <RecordTable
            label={own.title}
            columns={columnsOf(own)}
            rows={all}
            keyOf={({ id }) => id}
            empty={<Empty title={own.nothing} hint={canWrite ? own.nothingHint : own.nothingHintRead} />}
            actionsTitle={texts.actions}
            actions={(key) =>
              key.status === 'active' && (
                <Button
                  text={own.revoke}
                  class="danger"
                  aria-label={fill(own.revokeOf, { name: key.description ?? key.id })}
                  onClick={() => actions.show(<RevokeAgentKey agentKey={key} actions={actions} />)}
                />
              )
            }
          />
        )}
      </Answer>
    </section>
  );
};

const columnsOf = (texts: Texts['agentKeys']): readonly Column<AgentKey>[] => [
  {
    title: texts.key,
    show: ({ public_key: key, description }) => (
      <>
        {description !== null && <ShownText text={description} />}
        <div class="mono muted">
          <ShownText text={key} />
        </div>
      </>
    ),
  },
  { title: texts.id, show: ({ id }) => <code class="shown">{id}</code> },
  {
    title: texts.state,
    show: ({ status }) => <span class={`tag ${status === 'active' ? 'good' : ''}`}>{status}</span>,
  },
  { title: texts.registeredAt, show: ({ registered_at: at }) => <Instant at={at} relative /> },
];

const NewAgentKey = ({ actions }: { actions: Actions }) => {
  const { client, own } = useSession('agentKeys');
  return (
    <FormDialog
      title={own.register}
      submit={own.register}
      onClose={actions.close}
      onSubmit={async (values) => {
        const { id } = await client.call('POST /v1/auth/agent-keys', {
          body: { public_key: values.text('public'), description: values.optional('description') ?? null },
        });
        actions.done(fill(own.registered, { id }));
      }}
    >
      <TextField name="public" label={own.publicKey} hint={own.publicHint} isRequired maxLength={128} />
      <TextField name="description" label={own.description} maxLength={1024} />
    </FormDialog>
  );
};

const RevokeAgentKey = ({ agentKey, actions }: { agentKey: AgentKey; actions: Actions }) => {
  const { client, own } = useSession('agentKeys');
  const name = agentKey.description ?? agentKey.id;
  return (
    <ConfirmDialog
      title={fill(own.revokeOf, { name })}
      submit={own.revoke}
      onClose={actions.close}
      onConfirm={async () => {
        await client.call('DELETE /v1/auth/agent-keys/{id}', { params: { id: agentKey.id } });
        actions.done(fill(own.revoked, { name }));
      }}
    >
      <p>{own.revokeText}</p>
    </ConfirmDialog>
  );
};
