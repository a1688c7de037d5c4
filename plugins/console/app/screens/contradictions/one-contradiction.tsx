import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Conflict, Fact } from '../../../../../client/client.ts';
import { Button } from '../../kit/button.tsx';
import { Answer } from '../../kit/state.tsx';
import { useRequest } from '../../kit/use-request.ts';
import { useShortcuts } from '../../kit/use-shortcuts.ts';
import { useSingleKeys } from '../../kit/use-single-keys.ts';
import { may, useSession } from '../../session/session.ts';
import { addressOf } from '../../shell/address.ts';
import { fill } from '../../texts/texts.ts';
import { AgainDialog } from './again-dialog.tsx';
import { ConflictHead } from './conflict-head.tsx';
import { Resolution } from './resolution.tsx';
import { Rival } from './rival.tsx';
import { RIVALS_SHOWN, readRivals, winnerOf } from './rivals.ts';
import { SettleDialog } from './settle-dialog.tsx';
import { Shortcuts } from './shortcuts.tsx';

/** A finished action, with a link to its result. */
export interface Done {
  readonly says: string;
  readonly link: string;
  readonly address: string;
  /** The contradiction that it settled. */
  readonly settles?: string;
  /** True if the reader went on to something else before the node answered, and stays there. */
  readonly isLeft: boolean;
}

type Choice =
  | { readonly to: 'settle'; readonly fact: Fact | undefined }
  | { readonly to: 'say again'; readonly fact: Fact };

interface OneContradictionProps {
  readonly conflict: Conflict;
  /** True if the address names it, so that the reader came for it. */
  readonly isNamed: boolean;
  readonly backTo: string;
  readonly onStep: (step: number) => void;
  /** Selects it in the list, or takes it back. */
  readonly onSelect: () => void;
  readonly onDone: (done: Done) => void;
  /** Reads the list again, because somebody else was faster. */
  readonly onOutdated: () => void;
}

const KEYED_RIVALS = 9;

/** One contradiction: its rivals side by side, and the actions that the key allows. */
export const OneContradiction = (props: OneContradictionProps) => {
  const { conflict, isNamed, backTo, onStep, onSelect, onDone, onOutdated } = props;
  const { client, reader, own } = useSession('contradictions');
  const [limit, setLimit] = useState(RIVALS_SHOWN);
  const [choice, setChoice] = useState<Choice>();
  const [hasShortcuts] = useSingleKeys();
  const asked = useRequest((signal) => readRivals(client, conflict, { limit, signal }), [limit]);
  const rivals = asked.data ?? [];
  const isOpen = conflict.status === 'unresolved';
  const canWrite = may(reader, 'write');
  const canSettle = isOpen && canWrite;
  useShortcuts((key) => {
    if (key === 'j' || key === 'k') onStep(key === 'j' ? 1 : -1);
    else if (key === 'x') onSelect();
    else if (canSettle && key === 'n') setChoice({ to: 'settle', fact: undefined });
    else {
      const fact = canSettle && /^[1-9]$/.test(key) ? rivals[Number(key) - 1] : undefined;
      if (fact === undefined) return false;
      setChoice({ to: 'settle', fact });
    }
    return true;
  });
  const isLeft = useRef(false);
  useLayoutEffect(
    () => () => {
      isLeft.current = true;
    },
    [],
  );
  const settled = (value: string): Done => ({
    says: fill(own.done, { relation: conflict.fact_a.relation, entity: conflict.fact_a.entity, value }),
    link: own.lookAgain,
    address: addressOf('contradictions', { status: 'resolved', id: conflict.conflict_id }),
    settles: conflict.conflict_id,
    isLeft: isLeft.current,
  });
  const saidAgain = (): Done => ({
    says: own.saidAgain,
    link: own.toOpen,
    address: addressOf('contradictions'),
    isLeft: isLeft.current,
  });
  const close = (): void => setChoice(undefined);
  return (
    <article class="conflict" aria-labelledby="conflict-title">
      <a class="conflict-back" href={backTo}>
        {own.back}
      </a>
      <ConflictHead conflict={conflict} isNamed={isNamed} onStep={onStep} />
      {!isOpen && <Resolution conflict={conflict} />}
      <Answer asked={asked}>
        {() => (
          <RivalList rivals={rivals} isOpen={isOpen} canSettle={canSettle} canWrite={canWrite} onChoose={setChoice} />
        )}
      </Answer>
      {conflict.members.length > limit && (
        <Button text={own.moreRivals} onClick={() => setLimit(limit + RIVALS_SHOWN)} />
      )}
      {canSettle && (
        <p>
          <button type="button" onClick={() => setChoice({ to: 'settle', fact: undefined })}>
            {hasShortcuts && <kbd>n</kbd>} {own.another}
          </button>
        </p>
      )}
      <Shortcuts canSettle={canSettle} />
      {choice?.to === 'settle' && (
        <SettleDialog
          conflict={conflict}
          fact={choice.fact}
          rivals={rivals}
          onClose={close}
          onOutdated={onOutdated}
          onSettled={(value) => onDone(settled(value))}
        />
      )}
      {choice?.to === 'say again' && (
        <AgainDialog fact={choice.fact} onClose={close} onSaid={() => onDone(saidAgain())} />
      )}
    </article>
  );
};

interface RivalListProps {
  readonly rivals: readonly Fact[];
  readonly isOpen: boolean;
  readonly canSettle: boolean;
  readonly canWrite: boolean;
  readonly onChoose: (choice: Choice) => void;
}

const RivalList = ({ rivals, isOpen, canSettle, canWrite, onChoose }: RivalListProps) => {
  const { own } = useSession('contradictions');
  const [hasShortcuts] = useSingleKeys();
  const winner = isOpen ? winnerOf(rivals) : undefined;
  return (
    <ol class="rivals">
      {rivals.map((fact, at) => (
        <Rival
          key={fact.id}
          fact={fact}
          place={at + 1}
          shortcut={canSettle && hasShortcuts && at < KEYED_RIVALS ? at + 1 : undefined}
          answers={fact === winner}
          isOpen={isOpen}
        >
          {canSettle && <Button text={own.thisOne} onClick={() => onChoose({ to: 'settle', fact })} />}
          {!isOpen && canWrite && <Button text={own.sayAgain} onClick={() => onChoose({ to: 'say again', fact })} />}
        </Rival>
      ))}
    </ol>
  );
};
