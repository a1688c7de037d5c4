import { useState } from 'preact/hooks';
import type { Fact } from '../../../../../client/client.ts';
import { BackLink } from '../../kit/back-link.tsx';
import { Notice } from '../../kit/notice.tsx';
import { ScrollBox } from '../../kit/scroll-box.tsx';
import { ShownText } from '../../kit/shown-text.tsx';
import { ShownValue } from '../../kit/shown-value.tsx';
import { Answer } from '../../kit/state.tsx';
import { useRequest } from '../../kit/use-request.ts';
import { hasRoute, useSession } from '../../session/session.ts';
import { addressOf } from '../../shell/address.ts';
import { FactActions } from './fact-actions.tsx';
import { FactAudit } from './fact-audit.tsx';
import { FactMembers } from './fact-members.tsx';
import { FactReason } from './fact-reason.tsx';
import { Provenance } from './provenance.tsx';
import { TripleHistory } from './triple-history.tsx';
import { useTripleHistory } from './use-triple-history.ts';

/** One fact with all its details. */
export const OneFact = ({ id }: { id: string }) => {
  const { client, texts } = useSession();
  const asked = useRequest((signal) => client.fact(id, { signal }), [id]);
  return (
    <>
      <BackLink screen="facts" />
      <h1>{asked.data === undefined ? texts.fact.title : <ShownText text={asked.data.relation} />}</h1>
      <Answer asked={asked}>{(fact) => <KnownFact fact={fact} onChanged={asked.reload} />}</Answer>
    </>
  );
};

/** The reader's last action: a sentence, and the resulting fact. */
interface Said {
  readonly text: string;
  readonly fact: Fact;
}

const KnownFact = ({ fact, onChanged }: { fact: Fact; onChanged: () => void }) => {
  const { setup, texts } = useSession();
  const [said, say] = useState<Said>();
  const [round, setRound] = useState(0);
  const hasHistory = hasRoute(setup, 'GET /v1/facts/{id}/history');
  const history = useTripleHistory(hasHistory ? fact.id : undefined, round);
  const ended = history.steps.items.find((step) => step.fact.id === fact.id)?.ended ?? null;
  const readAgain = (): void => {
    setRound(round + 1);
    onChanged();
  };
  const change = (next: Said): void => {
    say(next);
    readAgain();
  };
  return (
    <>
      <Notice>
        {said !== undefined && (
          <>
            {said.text} <a href={addressOf('facts', { id: said.fact.id })}>{texts.fact.see}</a>
          </>
        )}
      </Notice>
      <p>
        <a class="fact-entity" href={addressOf('entities', { uri: fact.entity })}>
          <ShownText text={fact.entity} />
        </a>
      </p>
      <ScrollBox class="says" label={texts.fact.value}>
        <ShownValue value={fact.value} short={false} />
      </ScrollBox>
      <FactReason id={fact.id} />
      <FactActions
        fact={fact}
        hasEnded={ended !== null}
        onCorrected={(made, isOpinion) =>
          change({ text: isOpinion ? texts.correct.doneOpinion : texts.correct.done, fact: made })
        }
        onRetracted={(made) => change({ text: texts.retract.done, fact: made })}
        onOutdated={readAgain}
      />
      <FactMembers fact={fact} ended={ended} />
      {hasRoute(setup, 'GET /v1/facts/{id}/provenance') && <Provenance key={round} id={fact.id} />}
      {hasHistory && <TripleHistory id={fact.id} history={history} />}
      {hasRoute(setup, 'GET /v1/audit/facts/{id}') && <FactAudit id={fact.id} />}
    </>
  );
};
