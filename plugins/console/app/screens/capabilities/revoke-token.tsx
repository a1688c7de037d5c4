import { FormDialog } from '../../kit/form-dialog.tsx';
import { TextField } from '../../kit/form-fields.tsx';
import type { Actions } from '../../kit/use-actions.tsx';
import { useSession } from '../../session/session.ts';
import { fill } from '../../texts/texts.ts';

export const RevokeToken = ({ id, name, actions }: { id: string; name: string; actions: Actions }) => {
  const { client, own } = useSession('capabilities');
  return (
    <FormDialog
      title={fill(own.revokeOf, { name })}
      submit={own.revoke}
      isDangerous
      onClose={actions.close}
      onSubmit={async (values) => {
        await client.call('POST /v1/federation/capability-tokens/{token_id}/revoke', {
          params: { token_id: id },
          body: { reason: values.optional('reason') ?? null },
        });
        actions.done(fill(own.revoked, { name }));
      }}
    >
      <p>{own.revokeText}</p>
      <TextField name="reason" label={own.reason} maxLength={1024} />
    </FormDialog>
  );
};
