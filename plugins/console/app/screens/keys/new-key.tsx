import type { BodyOf } from '../../../../../client/client.ts';
import { drawKey } from '../../kit/draw-secret.ts';
import { FormDialog } from '../../kit/form-dialog.tsx';
import { ChecksField, TextField } from '../../kit/form-fields.tsx';
import type { FormValues } from '../../kit/form-values.ts';
import { mayBeDone } from '../../kit/may-be-done.ts';
import { SecretDialog } from '../../kit/secret-dialog.tsx';
import type { Actions } from '../../kit/use-actions.tsx';
import { useSession } from '../../session/session.ts';
import { fill } from '../../texts/texts.ts';

type NewKeyBody = BodyOf<'POST /v1/auth/keys'>;

/** Registers a key drawn by the browser. It can have only rights of the reader's own key. */
export const NewKey = ({ actions }: { actions: Actions }) => {
  const { client, reader, own } = useSession('keys');
  const register = async (values: FormValues): Promise<void> => {
    const rawKey = drawKey();
    const entity = values.text('entity');
    const show = (message: string, text: string): void =>
      actions.done(
        fill(message, { entity }),
        <SecretDialog title={own.secretTitle} secret={rawKey} text={text} onClose={actions.close} />,
      );
    const body: NewKeyBody = {
      raw_key: rawKey,
      entity_uri: entity,
      permissions: values.many('permissions') as NonNullable<NewKeyBody['permissions']>,
      allowed_scopes: values.many('scopes') as NonNullable<NewKeyBody['allowed_scopes']>,
      description: values.optional('description') ?? null,
      expires_at: values.instant('expires') ?? null,
    };
    try {
      await client.call('POST /v1/auth/keys', { body });
    } catch (error) {
      if (!mayBeDone(error)) throw error;
      show(own.unheard, own.unheardText);
      return;
    }
    show(own.registered, own.secretText);
  };
  return (
    <FormDialog title={own.register} submit={own.register} onSubmit={register} onClose={actions.close}>
      <TextField name="entity" label={own.entity} hint={own.entityHint} isRequired maxLength={2048} />
      <TextField name="description" label={own.description} hint={own.descriptionHint} maxLength={1024} />
      <ChecksField
        name="permissions"
        label={own.permissions}
        options={reader.permissions}
        checked={['read', 'write']}
      />
      <ChecksField name="scopes" label={own.scopes} options={reader.allowed_scopes} checked={reader.allowed_scopes} />
      <TextField name="expires" label={own.expires} hint={own.expiresHint} type="datetime-local" />
    </FormDialog>
  );
};
