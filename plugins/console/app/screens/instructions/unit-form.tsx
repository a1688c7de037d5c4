import { FormDialog } from '../../kit/form-dialog.tsx';
import { AreaField, CheckField, TextField } from '../../kit/form-fields.tsx';
import { useTexts } from '../../kit/use-texts.ts';
import { readUnit, type UnitDraft } from './units.ts';

interface UnitFormProps {
  readonly agent: string;
  /** The unit to edit; undefined for a new one. */
  readonly unit: UnitDraft | undefined;
  readonly onUnit: (unit: UnitDraft) => void;
  readonly onClose: () => void;
}

const lines = (texts: readonly string[] | null | undefined): string => (texts ?? []).join('\n');

export const UnitForm = ({ agent, unit, onUnit, onClose }: UnitFormProps) => {
  const { instructions: own } = useTexts();
  const triggers = unit?.load_triggers;
  return (
    <FormDialog
      title={unit === undefined ? own.addUnit : own.edit}
      submit={own.take}
      onClose={onClose}
      onSubmit={async (values) => onUnit(readUnit(values, agent))}
    >
      <TextField name="name" label={own.name} hint={own.nameHint} value={unit?.name} pattern="\S+" isRequired />
      <TextField name="description" label={own.description} value={unit?.description} maxLength={120} isRequired />
      <TextField name="factUri" label={own.factUri} hint={own.factUriHint} value={unit?.fact_uri} />
      <AreaField name="intents" label={own.intents} hint={own.perLine} rows={2} value={lines(triggers?.intents)} />
      <AreaField name="keywords" label={own.keywords} hint={own.perLine} rows={2} value={lines(triggers?.keywords)} />
      <CheckField name="guarantee" label={own.guarantee} isChecked={unit?.guarantee_load === true} />
      <CheckField name="prepend" label={own.prepend} isChecked={unit?.force_position === 'prepend'} />
      <details>
        <summary>{own.more}</summary>
        <AreaField
          name="taskTypes"
          label={own.taskTypes}
          hint={own.perLine}
          rows={2}
          value={lines(triggers?.task_types)}
        />
        <AreaField
          name="required"
          label={own.required}
          hint={own.perLine}
          rows={2}
          value={lines(unit?.required_by_task_types)}
        />
        <TextField
          name="estimate"
          label={own.estimateField}
          type="number"
          min={0}
          value={unit?.token_estimate?.toString()}
        />
        <TextField name="cid" label={own.cid} hint={own.cidHint} value={unit?.cid ?? undefined} />
      </details>
    </FormDialog>
  );
};
