import { useState } from 'preact/hooks';
import type { Fact } from '../../../../../client/client.ts';
import { Field } from '../../kit/field.tsx';
import { FormDialog } from '../../kit/form-dialog.tsx';
import { ShownText } from '../../kit/shown-text.tsx';
import { draftOf, readDraft } from '../../kit/value-draft.ts';
import { ValueField } from '../../kit/value-field.tsx';
import { useSession } from '../../session/session.ts';
import { endedBy } from './ended-by.ts';

interface CorrectDialogProps {
  readonly fact: Fact;
  /** Called with the new fact. `isOpinion` is true if the old fact goes on. */
  readonly onCorrected: (fact: Fact, isOpinion: boolean) => void;
  readonly onClose: () => void;
  /** Called when the dialog closes after the fact has ended elsewhere. */
  readonly onOutdated: () => void;
}

/** Stores the right value and ends the old one with its rivals, or only adds another opinion. */
export const CorrectDialog = ({ fact, onCorrected, onClose, onOutdated }: CorrectDialogProps) => {
  const { client, reader, texts } = useSession();
  const [draft, setDraft] = useState(() => draftOf(fact.value));
  const [reason, setReason] = useState('');
  const [isOpinion, setOpinion] = useState(false);
  const correct = async (): Promise<void> => {
    const value = readDraft(draft);
    if (value === undefined) throw new Error(texts.value.unfit);
    const { entity, relation, scope, garden_id } = fact;
    const corrected = await client.assert({
      entity,
      relation,
      scope,
      garden_id,
      source: reader.entity_uri,
      value: { ...value, interpret_as: fact.value.interpret_as },
      reason: reason.trim() || undefined,
      ...(!isOpinion && { replaces: await endedBy(client, fact) }),
    });
    onCorrected(corrected, isOpinion);
  };
  return (
    <FormDialog
      title={texts.correct.title}
      submit={texts.correct.submit}
      onSubmit={correct}
      onClose={onClose}
      onOutdated={onOutdated}
    >
      <p>
        <ShownText text={fact.entity} /> · <ShownText text={fact.relation} />
      </p>
      <ValueField draft={draft} onChange={setDraft} />
      <Field label={texts.correct.reason} hint={texts.correct.reasonHint}>
        {(ids) => (
          <textarea {...ids} rows={2} value={reason} onInput={({ currentTarget }) => setReason(currentTarget.value)} />
        )}
      </Field>
      <label class="check">
        <input
          type="checkbox"
          checked={isOpinion}
          onChange={({ currentTarget }) => setOpinion(currentTarget.checked)}
        />
        {texts.correct.opinion}
      </label>
      <p class="muted">{isOpinion ? texts.correct.introOpinion : texts.correct.intro}</p>
    </FormDialog>
  );
};
