import { useState } from 'preact/hooks';
import { Button } from '../../kit/button.tsx';
import { FormDialog } from '../../kit/form-dialog.tsx';
import { CheckField, TextField } from '../../kit/form-fields.tsx';
import type { FormValues } from '../../kit/form-values.ts';
import { RecordTable } from '../../kit/record-table.tsx';
import { ScreenHead } from '../../kit/screen-head.tsx';
import { Empty } from '../../kit/state.tsx';
import { useActions } from '../../kit/use-actions.tsx';
import { useSession } from '../../session/session.ts';
import { fill } from '../../texts/texts.ts';
import { unitColumns } from './manifest-view.tsx';
import { UnitForm } from './unit-form.tsx';
import type { Manifest, UnitDraft } from './units.ts';

interface DraftProps {
  readonly agent: string;
  /** The version that the draft starts from. */
  readonly manifest: Manifest | undefined;
  readonly onClose: () => void;
  readonly onPublished: (message: string) => void;
}

/** The next version of a manifest. Nothing is sent before it is published. */
export const ManifestDraft = ({ agent, manifest, onClose, onPublished }: DraftProps) => {
  const { texts, own } = useSession('instructions');
  const [units, setUnits] = useState<readonly UnitDraft[]>(manifest?.entries ?? []);
  const actions = useActions(() => undefined);
  const edit = (at: number): void =>
    actions.show(
      <UnitForm
        agent={agent}
        unit={units[at]}
        onClose={actions.close}
        onUnit={(unit) => {
          setUnits(at < units.length ? units.with(at, unit) : [...units, unit]);
          actions.close();
        }}
      />,
    );
  return (
    <section>
      <ScreenHead title={fill(own.draftOf, { agent })} level={2}>
        <Button text={own.discard} onClick={onClose} />
        <Button text={own.addUnit} onClick={() => edit(units.length)} />
        <Button
          text={own.publish}
          class="primary"
          disabled={units.length === 0}
          onClick={() =>
            actions.show(<Publish agent={agent} units={units} onClose={actions.close} onPublished={onPublished} />)
          }
        />
      </ScreenHead>
      <p class="lead">{own.draftLead}</p>
      {actions.view}
      <RecordTable
        label={own.units}
        columns={unitColumns(own)}
        rows={units}
        keyOf={({ name }) => name}
        empty={<Empty title={own.noUnits} hint={own.noUnitsHint} />}
        actionsTitle={texts.actions}
        actions={(unit) => (
          <>
            <Button
              text={own.edit}
              aria-label={fill(own.editOf, { name: unit.name })}
              onClick={() => edit(units.indexOf(unit))}
            />
            <Button
              text={own.remove}
              class="danger"
              aria-label={fill(own.leaveOut, { name: unit.name })}
              onClick={() => setUnits(units.filter((each) => each !== unit))}
            />
          </>
        )}
      />
    </section>
  );
};

interface PublishProps extends Pick<DraftProps, 'agent' | 'onClose' | 'onPublished'> {
  readonly units: readonly UnitDraft[];
}

const Publish = ({ agent, units, onClose, onPublished }: PublishProps) => {
  const { client, own } = useSession('instructions');
  const publish = async (values: FormValues): Promise<void> => {
    const version = values.text('version');
    await client.call('PUT /v1/agents/{agent_id}/instruction-manifest', {
      params: { agent_id: agent },
      body: { version, entries: [...units], skip_coverage_gate: values.isChecked('skip') },
    });
    onPublished(fill(own.published, { version }));
  };
  return (
    <FormDialog title={own.publish} submit={own.publish} onSubmit={publish} onClose={onClose}>
      <TextField name="version" label={own.version} hint={own.versionHint} isRequired />
      <CheckField name="skip" label={own.skip} />
    </FormDialog>
  );
};
