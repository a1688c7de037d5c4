import type { Garden, GardenMember } from '../../../../../client/client.ts';
import { Button } from '../../kit/button.tsx';
import { ConfirmDialog } from '../../kit/confirm-dialog.tsx';
import { FormDialog } from '../../kit/form-dialog.tsx';
import { ChoiceField, TextField } from '../../kit/form-fields.tsx';
import { Instant } from '../../kit/instant.tsx';
import { type Column, RecordTable } from '../../kit/record-table.tsx';
import { ScreenHead } from '../../kit/screen-head.tsx';
import { ShownText } from '../../kit/shown-text.tsx';
import { Empty } from '../../kit/state.tsx';
import type { Actions } from '../../kit/use-actions.tsx';
import { useSession } from '../../session/session.ts';
import { useAddress } from '../../shell/address.ts';
import { fill, type Texts } from '../../texts/texts.ts';

type Role = GardenMember['role'];
const ROLES: readonly Role[] = ['reader', 'writer', 'admin', 'quarantine:moderator'];

interface PartProps {
  readonly garden: Garden;
  readonly actions: Actions;
}

/** The members of a garden. Its admins change them; other members may leave. */
export const GardenMembers = ({ garden, actions, isKeeper }: PartProps & { readonly isKeeper: boolean }) => {
  const { texts, reader, own } = useSession('gardens');
  const rowActions = (member: GardenMember) => (
    <>
      {isKeeper && (
        <Button
          text={own.changeRole}
          aria-label={fill(own.roleOf, { entity: member.entity_uri })}
          onClick={() => actions.show(<ChangeRole garden={garden} member={member} actions={actions} />)}
        />
      )}
      {(isKeeper || member.entity_uri === reader.entity_uri) && (
        <Button
          text={member.entity_uri === reader.entity_uri ? own.leave : own.expel}
          class="danger"
          aria-label={
            member.entity_uri === reader.entity_uri ? own.leave : fill(own.expelOf, { entity: member.entity_uri })
          }
          onClick={() =>
            actions.show(
              member.entity_uri === reader.entity_uri ? (
                <Leave garden={garden} member={member} onClose={actions.close} />
              ) : (
                <Expel garden={garden} member={member} actions={actions} />
              ),
            )
          }
        />
      )}
    </>
  );
  return (
    <section aria-label={own.members}>
      <ScreenHead title={own.members} level={2}>
        {isKeeper && (
          <Button text={own.addMember} onClick={() => actions.show(<AddMember garden={garden} actions={actions} />)} />
        )}
      </ScreenHead>
      {garden.truncated && <p class="muted">{own.truncated}</p>}
      <RecordTable
        label={own.members}
        columns={columnsOf(own)}
        rows={garden.members}
        keyOf={({ entity_uri: entity }) => entity}
        actions={rowActions}
        actionsTitle={texts.actions}
        empty={<Empty title={own.noMembers} />}
      />
    </section>
  );
};

const columnsOf = (texts: Texts['gardens']): readonly Column<GardenMember>[] => [
  { title: texts.member, show: ({ entity_uri: entity }) => <ShownText text={entity} /> },
  { title: texts.role, show: ({ role }) => <span class="tag">{role}</span> },
  { title: texts.addedBy, show: ({ added_by: by }) => <ShownText text={by} /> },
  { title: texts.added, show: ({ added_at: at }) => <Instant at={at} relative /> },
];

const AddMember = ({ garden, actions }: PartProps) => {
  const { client, own } = useSession('gardens');
  return (
    <FormDialog
      title={own.addMember}
      submit={own.addMember}
      onClose={actions.close}
      onSubmit={async (values) => {
        const entity = values.text('entity');
        await client.gardens.addMember(garden.slug, entity, values.text('role') as Role);
        actions.done(fill(own.addedDone, { entity }));
      }}
    >
      <TextField name="entity" label={own.member} hint={own.memberHint} isRequired maxLength={2048} />
      <ChoiceField name="role" label={own.role} hint={own.roleHint} options={ROLES} value="reader" />
    </FormDialog>
  );
};

const ChangeRole = ({ garden, member, actions }: PartProps & { readonly member: GardenMember }) => {
  const { client, own } = useSession('gardens');
  const { entity_uri: entity } = member;
  return (
    <FormDialog
      title={fill(own.roleOf, { entity })}
      submit={own.changeRole}
      onClose={actions.close}
      onSubmit={async (values) => {
        const { role } = await client.gardens.setRole(garden.slug, entity, values.text('role') as Role);
        actions.done(fill(own.roleDone, { entity, role }));
      }}
    >
      <ChoiceField name="role" label={own.role} hint={own.roleHint} options={ROLES} value={member.role} />
    </FormDialog>
  );
};

const Expel = ({ garden, member, actions }: PartProps & { readonly member: GardenMember }) => {
  const { client, own } = useSession('gardens');
  const { entity_uri: entity } = member;
  return (
    <ConfirmDialog
      title={fill(own.expelOf, { entity })}
      submit={own.expel}
      onClose={actions.close}
      onConfirm={async () => {
        await client.gardens.removeMember(garden.slug, entity);
        actions.done(fill(own.expelDone, { entity }));
      }}
    >
      <p>{own.expelText}</p>
    </ConfirmDialog>
  );
};

interface LeaveProps extends Pick<PartProps, 'garden'> {
  readonly member: GardenMember;
  readonly onClose: () => void;
}

/** Leads back to the list, because a former member no longer finds the garden. */
const Leave = ({ garden, member, onClose }: LeaveProps) => {
  const { client, texts } = useSession();
  const { open } = useAddress();
  const { gardens: own } = texts;
  return (
    <ConfirmDialog
      title={fill(own.leaveTitle, { name: garden.name })}
      submit={own.leave}
      onClose={onClose}
      onConfirm={async () => {
        await client.gardens.removeMember(garden.slug, member.entity_uri);
        open('gardens');
      }}
    >
      <p>{own.leaveText}</p>
    </ConfirmDialog>
  );
};
