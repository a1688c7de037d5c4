import { FormDialog } from '../../kit/form-dialog.tsx';
import { AreaField, CheckField, ChoiceField, TextField } from '../../kit/form-fields.tsx';
import type { FormValues } from '../../kit/form-values.ts';
import type { Scope } from '../../kit/scopes.ts';
import type { Actions } from '../../kit/use-actions.tsx';
import { useSession } from '../../session/session.ts';
import { fill } from '../../texts/texts.ts';

export const NewGarden = ({ actions }: { actions: Actions }) => {
  const { client, reader, own } = useSession('gardens');
  const create = async (values: FormValues): Promise<void> => {
    const { name } = await client.gardens.create({
      name: values.text('name'),
      slug: values.text('slug'),
      scope: values.text('scope') as Scope,
      description: values.optional('description') ?? null,
      quarantine: values.isChecked('quarantine'),
    });
    actions.done(fill(own.createdDone, { name }));
  };
  const { allowed_scopes: scopes } = reader;
  return (
    <FormDialog title={own.create} submit={own.create} onSubmit={create} onClose={actions.close}>
      <TextField name="name" label={own.name} isRequired maxLength={1024} />
      <TextField
        name="slug"
        label={own.slug}
        hint={own.slugHint}
        isRequired
        maxLength={63}
        pattern="[a-zA-Z0-9][a-zA-Z0-9\-]*"
      />
      <ChoiceField
        name="scope"
        label={own.scope}
        hint={own.scopeHint}
        options={scopes}
        value={scopes.includes('company') ? 'company' : scopes[0]}
      />
      <AreaField name="description" label={own.description} rows={2} />
      <CheckField name="quarantine" label={own.quarantineHint} />
    </FormDialog>
  );
};
