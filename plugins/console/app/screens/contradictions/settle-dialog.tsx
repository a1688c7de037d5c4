import { useState } from 'preact/hooks';
import type { Conflict, Fact, TypedValue } from '../../../../../client/client.ts';
import { Button } from '../../kit/button.tsx';
import { Dialog } from '../../kit/dialog.tsx';
import { Field } from '../../kit/field.tsx';
import { Problem } from '../../kit/problem.tsx';
import { shortValue } from '../../kit/short-value.ts';
import { ShownText } from '../../kit/shown-text.tsx';
import { ShownValue } from '../../kit/shown-value.tsx';
import { useAction } from '../../kit/use-action.ts';
import { draftOf, readDraft } from '../../kit/value-draft.ts';
import { ValueField } from '../../kit/value-field.tsx';
import { useSession } from '../../session/session.ts';
import { endedBy, MOST_ENDED } from '../facts/ended-by.ts';

interface SettleDialogProps {
  readonly conflict: Conflict;
  /** The winning rival; undefined if another value wins. */
  readonly fact: Fact | undefined;
  /** The rivals that are shown. */
  readonly rivals: readonly Fact[];
  readonly onClose: () => void;
  /** Called when the dialog closes after an error, because the contradiction may have changed. */
  readonly onOutdated: () => void;
  readonly onSettled: (value: string) => void;
}

/** Asks for confirmation and a note before a contradiction is settled. */
export const SettleDialog = ({ conflict, fact, rivals, onClose, onOutdated, onSettled }: SettleDialogProps) => {
  const { client, reader, texts, own } = useSession('contradictions');
  const [draft, setDraft] = useState(() => draftOf({ type: conflict.fact_a.value.type, v: null }));
  const [note, setNote] = useState('');
  const { isWorking, error, run } = useAction();
  /** Stores the value and ends the rivals by name: the node refuses if one of them has ended meanwhile. */
  const correct = async (value: TypedValue): Promise<void> => {
    const rival = rivals.find(({ contradicted }) => contradicted);
    if (rival === undefined || conflict.members.length > MOST_ENDED) {
      await client.resolve(conflict.conflict_id, { new_value: value, resolution_note: note });
      return;
    }
    const { entity, relation, scope, garden_id } = rival;
    const given = { entity, relation, scope, garden_id, value, source: reader.entity_uri };
    await client.assert({ ...given, reason: note.trim() || undefined, replaces: await endedBy(client, rival) });
  };
  const leave = (): void => {
    onClose();
    if (error !== undefined) onOutdated();
  };
  const settle = (event: Event): void => {
    event.preventDefault();
    void run(async () => {
      const value = fact === undefined ? readDraft(draft) : fact.value;
      if (value === undefined) throw new Error(texts.value.unfit);
      if (fact === undefined) await correct(value);
      else await client.resolve(conflict.conflict_id, { winning_fact_id: fact.id, resolution_note: note });
      onClose();
      onSettled(shortValue(value.v, texts));
    });
  };
  return (
    <Dialog title={own.settleTitle} onClose={leave}>
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
              maxLength={fact === undefined ? undefined : 16_000}
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
          <Button text={texts.cancel} onClick={leave} />
        </div>
      </form>
    </Dialog>
  );
};
