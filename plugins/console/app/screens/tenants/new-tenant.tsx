import { drawKey } from '../../kit/draw-secret.ts';
import { FormDialog } from '../../kit/form-dialog.tsx';
import { TextField } from '../../kit/form-fields.tsx';
import { mayBeDone } from '../../kit/may-be-done.ts';
import { SecretDialog } from '../../kit/secret-dialog.tsx';
import type { Actions } from '../../kit/use-actions.tsx';
import { useSession } from '../../session/session.ts';
import { fill } from '../../texts/texts.ts';

/** Creates a tenant with a first key, which registers its other keys. */
export const NewTenant = ({ actions }: { actions: Actions }) => {
  const { client, own } = useSession('tenants');
  return (
    <FormDialog
      title={own.create}
      submit={own.create}
      onClose={actions.close}
      onSubmit={async (values) => {
        const rawKey = drawKey();
        const id = values.text('id');
        const show = (message: string, text: string): void =>
          actions.done(
            fill(message, { id }),
            <SecretDialog title={own.keyTitle} secret={rawKey} text={text} onClose={actions.close} />,
          );
        const first = { raw_key: rawKey, entity_uri: values.text('entity') };
        try {
          await client.call('POST /v1/tenants', {
            body: { id, name: values.optional('name') ?? null, first_key: first },
          });
        } catch (error) {
          if (!mayBeDone(error)) throw error;
          show(own.unheard, own.unheardText);
          return;
        }
        show(own.createdDone, own.keyText);
      }}
    >
      <TextField name="id" label={own.id} hint={own.idHint} pattern="[a-z0-9][a-z0-9\-]*" maxLength={63} isRequired />
      <TextField name="name" label={own.name} maxLength={1024} />
      <TextField name="entity" label={own.entity} hint={own.entityHint} isRequired maxLength={2048} />
    </FormDialog>
  );
};
