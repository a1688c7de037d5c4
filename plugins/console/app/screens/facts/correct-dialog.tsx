import { useState } from 'preact/hooks';
import type { Fact } from '../../../../../client/client.ts';
import { FormDialog } from '../../kit/form-dialog.tsx';
import { ShownText } from '../../kit/shown-text.tsx';
import { draftOf, readDraft } from '../../kit/value-draft.ts';
import { ValueField } from '../../kit/value-field.tsx';
import { useSession } from '../../session/session.ts';
import { SourceField } from './assert-fields.tsx';

interface CorrectDialogProps {
  readonly fact: Fact;
  readonly onCorrected: (fact: Fact) => void;
  readonly onClose: () => void;
}

/** Asserts another value of the same triple in the same place, derived from the old fact. */
export const CorrectDialog = ({ fact, onCorrected, onClose }: CorrectDialogProps) => {
  const { client, reader, texts } = useSession();
  const [draft, setDraft] = useState(() => draftOf(fact.value));
  const [source, setSource] = useState(reader.entity_uri);
  const correct = async (): Promise<void> => {
    const value = readDraft(draft);
    if (value === undefined) throw new Error(texts.value.unfit);
    const { id, entity, relation, scope, garden_id } = fact;
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
  };
  return (
    <FormDialog title={texts.correct.title} submit={texts.correct.submit} onSubmit={correct} onClose={onClose}>
      <p>
        <ShownText text={fact.entity} /> · <ShownText text={fact.relation} />
      </p>
      <p class="muted">{texts.correct.intro}</p>
      <ValueField draft={draft} onChange={setDraft} />
      <SourceField source={source} onChange={setSource} />
    </FormDialog>
  );
};
