import { useState } from 'preact/hooks';
import type { Fact } from '../../../../../client/client.ts';
import { Button } from '../../kit/button.tsx';
import { may, useSession } from '../../session/session.ts';
import { isChangeable } from './changeable.ts';
import { CorrectDialog } from './correct-dialog.tsx';
import { RetractDialog } from './retract-dialog.tsx';

interface FactActionsProps {
  readonly fact: Fact;
  /** True if the fact was retracted, superseded, or has expired. Then nothing is left to correct or retract. */
  readonly hasEnded: boolean;
  readonly onCorrected: (fact: Fact, isOpinion: boolean) => void;
  readonly onRetracted: (fact: Fact) => void;
  /** Reads the fact again, because it has ended elsewhere. */
  readonly onOutdated: () => void;
}

/** The actions of a writing key on a fact. Facts of the node itself, and retractions, cannot be corrected. */
export const FactActions = (props: FactActionsProps) => {
  const { fact, hasEnded, onCorrected, onRetracted, onOutdated } = props;
  const { reader, setup, texts } = useSession();
  const [opened, open] = useState<'correct' | 'retract'>();
  const close = (): void => open(undefined);
  if (!may(reader, 'write') || hasEnded || !isChangeable(fact, setup)) return null;
  return (
    <div class="bar">
      <Button text={texts.correct.open} onClick={() => open('correct')} />
      <Button text={texts.retract.open} class="danger" onClick={() => open('retract')} />
      {opened === 'correct' && (
        <CorrectDialog
          fact={fact}
          onClose={close}
          onOutdated={onOutdated}
          onCorrected={(made, isOpinion) => {
            close();
            onCorrected(made, isOpinion);
          }}
        />
      )}
      {opened === 'retract' && (
        <RetractDialog
          fact={fact}
          onClose={close}
          onOutdated={onOutdated}
          onRetracted={(made) => {
            close();
            onRetracted(made);
          }}
        />
      )}
    </div>
  );
};
