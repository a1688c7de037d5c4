import { FormDialog } from '../../kit/form-dialog.tsx';
import { ChoiceField, TextField } from '../../kit/form-fields.tsx';
import type { Actions } from '../../kit/use-actions.tsx';
import { useSession } from '../../session/session.ts';
import { fill } from '../../texts/texts.ts';
import type { RelationRule } from './relations.tsx';

type ValueType = NonNullable<RelationRule['value_type']>;

const VALUES: readonly RelationRule['values'][] = ['many', 'one'];
const TYPES: readonly ValueType[] = ['string', 'number', 'boolean', 'datetime', 'ref', 'text', 'null'];

/** Adds a rule, or changes the given one. */
export const RuleForm = ({ rule, actions }: { rule?: RelationRule; actions: Actions }) => {
  const { client, own } = useSession('relations');
  const title = rule === undefined ? own.add : fill(own.changeOf, { pattern: rule.pattern });
  return (
    <FormDialog
      title={title}
      submit={rule === undefined ? own.add : own.change}
      onClose={actions.close}
      onSubmit={async (values) => {
        const pattern = rule?.pattern ?? values.text('pattern');
        const type = values.optional('type');
        const body = {
          pattern,
          values: values.text('values') as RelationRule['values'],
          value_type: type === undefined ? null : (type as ValueType),
        };
        // Adding refuses a pattern that has a rule, so that no rule is replaced by mistake.
        await client.call(rule === undefined ? 'POST /v1/relations' : 'PUT /v1/relations', { body });
        actions.done(fill(own.saved, { pattern }));
      }}
    >
      {rule === undefined && (
        <TextField name="pattern" label={own.pattern} hint={own.patternHint} isRequired maxLength={256} />
      )}
      <ChoiceField
        name="values"
        label={own.values}
        hint={own.valuesHint}
        options={VALUES.map((value) => ({ value, label: own[value] }))}
        value={rule?.values ?? 'many'}
      />
      <ChoiceField
        name="type"
        label={own.type}
        options={[{ value: '', label: own.anyType }, ...TYPES]}
        value={rule?.value_type ?? ''}
      />
    </FormDialog>
  );
};
