import { FormDialog } from '../../kit/form-dialog.tsx';
import { TextField } from '../../kit/form-fields.tsx';
import type { Actions } from '../../kit/use-actions.tsx';
import { useSession } from '../../session/session.ts';
import { fill } from '../../texts/texts.ts';
import type { Tombstone } from './tombstone.ts';

export const RevokeDialog = ({ tombstone, actions }: { tombstone: Tombstone; actions: Actions }) => {
  const { client, own } = useSession('erasure');
  const { entity_uri: entity } = tombstone;
  return (
    <FormDialog
      title={fill(own.revokeTitle, { entity })}
      submit={own.revoke}
      onClose={actions.close}
      onSubmit={async (values) => {
        const body = { reason: values.text('reason') };
        await client.call('POST /v1/tombstones/{id}/revoke', { params: { id: tombstone.id }, body });
        actions.done(fill(own.revoked, { entity }));
      }}
    >
      <p>{own.revokeText}</p>
      <TextField name="reason" label={own.reason} isRequired maxLength={1024} />
    </FormDialog>
  );
};
