import { TypedWord } from '../../kit/confirm-dialog.tsx';
import { FormDialog } from '../../kit/form-dialog.tsx';
import { CheckField, ChoiceField, TextField } from '../../kit/form-fields.tsx';
import { SCOPES } from '../../kit/scopes.ts';
import type { Actions } from '../../kit/use-actions.tsx';
import { useSession } from '../../session/session.ts';
import { fill } from '../../texts/texts.ts';

const ALL = '*';

export const HideDialog = ({ entity, actions }: { entity: string; actions: Actions }) => {
  const { client, texts } = useSession();
  const { erasure: own } = texts;
  return (
    <FormDialog
      title={fill(own.hideTitle, { entity })}
      submit={own.hide}
      isDangerous
      onClose={actions.close}
      onSubmit={async (values) => {
        await client.call('POST /v1/tombstones', {
          body: {
            entity_uri: entity,
            scope: values.text('scope'),
            reason: values.optional('reason') ?? null,
            legal_hold: values.isChecked('hold'),
          },
        });
        actions.done(fill(own.hidden, { entity }));
      }}
    >
      <p>{own.hideText}</p>
      <ChoiceField
        name="scope"
        label={own.scope}
        options={[{ value: ALL, label: own.allScopes }, ...SCOPES]}
        value={ALL}
      />
      <TextField name="reason" label={own.reason} maxLength={1024} />
      <CheckField name="hold" label={own.holdHint} />
      <TypedWord typed={entity} />
    </FormDialog>
  );
};
