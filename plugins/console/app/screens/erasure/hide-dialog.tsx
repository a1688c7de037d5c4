import { TypedWord } from '../../kit/confirm-dialog.tsx';
import { FormDialog } from '../../kit/form-dialog.tsx';
import { CheckField, ChoiceField, TextField } from '../../kit/form-fields.tsx';
import { SCOPES } from '../../kit/scopes.ts';
import type { Actions } from '../../kit/use-actions.tsx';
import { useSession } from '../../session/session.ts';
import { fill } from '../../texts/texts.ts';

const ALL = '*';

export const HideDialog = ({ entity, actions }: { entity: string; actions: Actions }) => {
  const { client, own } = useSession('erasure');
  return (
    <FormDialog
      title={fill(own.hideTitle, { entity })}
      submit={own.hide}
      isDangerous
      onClose={actions.close}
      onSubmit={async (values) => {
        const asked = { reason: values.optional('reason') ?? null, legal_hold: values.isChecked('hold') };
        const body = { entity_uri: entity, scope: values.text('scope'), ...asked };
        const made = await client.call('POST /v1/tombstones', { body });
        // The node returns an existing active tombstone of the same scope instead of making another one.
        const isAsAsked = made.legal_hold === asked.legal_hold && made.reason === asked.reason;
        actions.done(fill(isAsAsked ? own.hidden : own.hiddenBefore, { entity }));
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
