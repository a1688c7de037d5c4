import { Answer, Empty } from '../../kit/state.tsx';
import type { RequestState } from '../../kit/use-request.ts';
import { useSession } from '../../session/session.ts';
import { AsCode } from './as-code.tsx';
import { type Recalled, useRecall } from './ask-recall.ts';
import { Hits } from './hits.tsx';
import { LeftOut } from './left-out.tsx';
import { type Ranks, ranksOf } from './ranks.ts';
import { bodyOf, type Question, type RecallBody, type Settings } from './recall-settings.ts';
import { RecallSummary } from './recall-summary.tsx';
import { StageRanks } from './stage-ranks.tsx';

interface RecallResultsProps {
  readonly question: Question;
  readonly one: Settings;
  readonly other: Settings | undefined;
  readonly round: number;
}

/** The results of a question under one or two settings. */
export const RecallResults = ({ question, one, other, round }: RecallResultsProps) => {
  const { own } = useSession('recall');
  const body = bodyOf(question, one);
  const otherBody = other && bodyOf(question, other);
  const asked = useRecall(body, round);
  const askedOther = useRecall(otherBody, round);
  if (body === undefined) {
    return <Empty title={own.nothingAsked} hint={own.nothingAskedHint} />;
  }
  const ranks = asked.data && ranksOf(asked.data.reply);
  const otherRanks = otherBody && askedOther.data && ranksOf(askedOther.data.reply);
  return (
    <div class="recall-pair">
      <Result title={otherBody && 'A'} body={body} asked={asked} others={otherRanks} />
      {otherBody !== undefined && <Result title="B" body={otherBody} asked={askedOther} others={ranks} />}
    </div>
  );
};

interface ResultProps {
  /** The title of the column; undefined without a comparison. */
  readonly title: string | undefined;
  readonly body: RecallBody;
  readonly asked: RequestState<Recalled | undefined>;
  /** The ranks of the facts under the other settings. */
  readonly others: Ranks | undefined;
}

const Result = ({ title, body, asked, others }: ResultProps) => {
  const { own } = useSession('recall');
  const named = (name: string): string => (title === undefined ? name : `${name} ${title}`);
  return (
    <section class="recall-result" aria-label={named(own.result)}>
      {title !== undefined && <h2>{title}</h2>}
      <Answer asked={asked}>
        {(recalled) =>
          recalled && (
            <>
              <RecallSummary recalled={recalled} />
              <LeftOut key={recalled.reply.recall_id} label={named(own.leftOut)} body={body} reply={recalled.reply} />
              <Hits label={named(own.hits)} reply={recalled.reply} others={others} />
              <StageRanks label={named(own.stages)} reply={recalled.reply} />
            </>
          )
        }
      </Answer>
      <AsCode body={body} named={named} />
    </section>
  );
};
