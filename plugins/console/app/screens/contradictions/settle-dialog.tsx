import { useState } from 'preact/hooks';
import type { Conflict, Fact } from '../../../../../client/client.ts';
import { Dialog } from '../../kit/dialog.tsx';
import { Field } from '../../kit/field.tsx';
import { Problem } from '../../kit/problem.tsx';
import { ShownText } from '../../kit/shown-text.tsx';
import { ShownValue } from '../../kit/shown-value.tsx';
import { useAction } from '../../kit/use-action.ts';
import { draftOf, readDraft } from '../../kit/value-draft.ts';
import { ValueField } from '../../kit/value-field.tsx';
import { useSession } from '../../session/session.ts';
import { shortValue } from './short-value.ts';

interface SettleDialogProps {
  readonly conflict: Conflict;
  /** The winning rival; undefined if another value wins. */
  readonly fact: Fact | undefined;
  readonly onClose: () => void;
  readonly onSettled: (value: string) => void;
}

/** Asks for confirmation and a note before a contradiction is settled. */
export const SettleDialog = ({ conflict, fact, onClose, onSettled }: SettleDialogProps) => {
  const { client, texts } = useSession();
  const { contradictions: own } = texts;
  const [draft, setDraft] = useState(() => draftOf({ type: conflict.fact_a.value.type, v: null }));
  const [note, setNote] = useState('');
  const { isWorking, error, run } = useAction();
  const settle = (event: Event): void => {
    event.preventDefault();
    void run(async () => {
      const value = fact === undefined ? readDraft(draft) : fact.value;
      if (value === undefined) throw new Error(texts.value.unfit);
      const choice = fact === undefined ? { new_value: value } : { winning_fact_id: fact.id };
      await client.resolve(conflict.conflict_id, { ...choice, resolution_note: note });
      onClose();
      onSettled(shortValue(value.v, texts));
    });
  };
  return (
    <Dialog title={own.settleTitle} onClose={onClose}>
      <form onSubmit={settle}>
        <p>
          <ShownText text={conflict.fact_a.entity} />{' '}
          <span class="muted">
            <ShownText text={conflict.fact_a.relation} />
          </span>
        </p>
        {fact === undefined ? (
          <ValueField draft={draft} onChange={setDraft} />
        ) : (
          <div class="chosen-value">
            <ShownValue value={fact.value} />
          </div>
        )}
        <p class="hint">{own.settleHint}</p>
        <Field label={own.note} hint={own.noteHint}>
          {(ids) => (
            <textarea
              {...ids}
              rows={2}
              maxLength={16_000}
              value={note}
              onInput={({ currentTarget }) => setNote(currentTarget.value)}
            />
          )}
        </Field>
        {error !== undefined && <Problem error={error} />}
        <div class="bar">
          <button type="submit" class="primary" disabled={isWorking} data-first-focus={fact !== undefined || undefined}>
            {isWorking ? own.settling : own.settle}
          </button>
          <button type="button" onClick={onClose}>
            {texts.cancel}
          </button>
        </div>
      </form>
    </Dialog>
  );
};
