import { useState } from 'preact/hooks';
import type { Fact } from '../../../../../client/client.ts';
import { ActionForm } from '../../kit/action-form.tsx';
import { Dialog } from '../../kit/dialog.tsx';
import { ShownText } from '../../kit/shown-text.tsx';
import { useAction } from '../../kit/use-action.ts';
import { draftOf, readDraft } from '../../kit/value-draft.ts';
import { ValueField } from '../../kit/value-field.tsx';
import { useSession } from '../../session/session.ts';
import { SourceField } from './assert-fields.tsx';

interface CorrectDialogProps {
  readonly fact: Fact;
  readonly onCorrected: (fact: Fact) => void;
  readonly onClose: () => void;
}

/** Asserts another value of the same triple in the same place. The new fact names the old one as what it follows from. */
export const CorrectDialog = ({ fact, onCorrected, onClose }: CorrectDialogProps) => {
  const { client, reader, texts } = useSession();
  const [draft, setDraft] = useState(() => draftOf(fact.value));
  const [source, setSource] = useState(reader.entity_uri);
  const [complaint, complain] = useState<string>();
  const action = useAction();
  const submit = (): void => {
    const value = readDraft(draft);
    complain(value === undefined ? texts.assert.noValue : undefined);
    if (value === undefined) return;
    const { id, entity, relation, scope, garden_id } = fact;
    void action.run(async () => {
      const corrected = await client.assert({
        entity,
        relation,
        scope,
        garden_id,
        source,
        value: { ...value, interpret_as: fact.value.interpret_as },
        derived_from: [{ fact_id: id }],
      });
      onCorrected(corrected);
    });
  };
  return (
    <Dialog title={texts.correct.title} onClose={onClose}>
      <ActionForm
        action={action}
        submit={texts.correct.submit}
        working={texts.correct.working}
        complaint={complaint}
        onSubmit={submit}
        onCancel={onClose}
      >
        <p>
          <ShownText text={fact.entity} /> · <ShownText text={fact.relation} />
        </p>
        <p class="hint">{texts.correct.intro}</p>
        <ValueField draft={draft} onChange={setDraft} />
        <SourceField source={source} onChange={setSource} />
      </ActionForm>
    </Dialog>
  );
};
