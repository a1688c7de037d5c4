import { useState } from 'preact/hooks';
import type { Fact } from '../../../../../client/client.ts';
import { Button } from '../../kit/button.tsx';
import { Dialog } from '../../kit/dialog.tsx';
import { Field } from '../../kit/field.tsx';
import { Problem } from '../../kit/problem.tsx';
import { ShownValue } from '../../kit/shown-value.tsx';
import { useAction } from '../../kit/use-action.ts';
import { useSession } from '../../session/session.ts';

interface AgainDialogProps {
  readonly fact: Fact;
  readonly onClose: () => void;
  readonly onSaid: () => void;
}

/** Reverts a resolution by asserting the other value again, because nothing is ever overwritten. */
export const AgainDialog = ({ fact, onClose, onSaid }: AgainDialogProps) => {
  const { client, texts, reader, own } = useSession('contradictions');
  const [confidence, setConfidence] = useState('1');
  const { isWorking, error, run } = useAction();
  const say = (event: Event): void => {
    event.preventDefault();
    void run(async () => {
      const { entity, relation, value, scope, garden_id } = fact;
      await client.assert({
        entity,
        relation,
        value,
        scope,
        garden_id,
        source: reader.entity_uri,
        confidence: Number(confidence),
        derived_from: [{ fact_id: fact.id }],
      });
      onClose();
      onSaid();
    });
  };
  return (
    <Dialog title={own.againTitle} onClose={onClose}>
      <form onSubmit={say}>
        <div class="chosen-value">
          <ShownValue value={fact.value} />
        </div>
        <p>{own.againHint}</p>
        <Field label={own.sure}>
          {(ids) => (
            <input
              {...ids}
              type="number"
              min="0.01"
              max="1"
              step="0.01"
              required
              value={confidence}
              onInput={({ currentTarget }) => setConfidence(currentTarget.value)}
            />
          )}
        </Field>
        {error !== undefined && <Problem error={error} />}
        <div class="bar">
          <button type="submit" class="primary" disabled={isWorking} data-first-focus>
            {isWorking ? own.saying : own.sayAgain}
          </button>
          <Button text={texts.cancel} onClick={onClose} />
        </div>
      </form>
    </Dialog>
  );
};
