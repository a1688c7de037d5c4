import { useState } from 'preact/hooks';
import type { FactClient, RecallReply } from '../../../../../client/client.ts';
import { Button } from '../../kit/button.tsx';
import { FactLine } from '../../kit/fact-line.tsx';
import { Answer } from '../../kit/state.tsx';
import { useRequest } from '../../kit/use-request.ts';
import { useSession } from '../../session/session.ts';
import { fill, plural } from '../../texts/texts.ts';
import { askRecall } from './ask-recall.ts';
import type { RecallBody } from './recall-settings.ts';

interface LeftOutProps extends AskedRecall {
  readonly label: string;
}

interface AskedRecall {
  readonly body: RecallBody;
  readonly reply: RecallReply;
}

/** The facts that were found and left out, with the reasons. The node counts them, and names them on request. */
export const LeftOut = ({ label, body, reply }: LeftOutProps) => {
  const { own } = useSession('recall');
  const [isNamed, name] = useState(false);
  const reasons: Readonly<Record<string, { readonly one: string; readonly other: string }>> = own.omitted;
  const counts = Object.entries(reply.omitted as Readonly<Record<string, number>>).filter(([, count]) => count > 0);
  const isAtLimit = reply.facts.length >= (body.limit ?? 0);
  if (counts.length === 0 && !isAtLimit) return <p class="muted">{own.nothingLeftOut}</p>;
  return (
    <section class="left-out" aria-label={label}>
      <ul>
        {counts.map(([reason, count]) => (
          <li key={reason}>
            {plural(reasons[reason] ?? { one: `{count} ${reason}`, other: `{count} ${reason}` }, count)}
          </li>
        ))}
        {isAtLimit && <li>{plural(own.atLimit, body.limit ?? 0)}</li>}
      </ul>
      {isNamed ? <Named body={body} reply={reply} /> : <Button text={own.nameThem} onClick={() => name(true)} />}
    </section>
  );
};

const WHOLE_BUDGET = 200_000;
const MOST = 500;
/** The most facts about which one recall says why they are not there. */
const SHOWN = 20;

type Fact = RecallReply['facts'][number]['fact'];

interface NamedFact {
  readonly fact: Fact;
  /** The step of the recall that left it out. */
  readonly stage: string;
}

/** Finds the facts left out by another request with the largest budget, and asks the node for the reason of each. */
const readLeftOut = async (
  client: FactClient,
  { body, reply }: AskedRecall,
  signal: AbortSignal,
): Promise<readonly NamedFact[]> => {
  const wide = { ...body, token_budget: WHOLE_BUDGET, limit: MOST, include_contradicted: true };
  const { facts } = await askRecall(client, wide, signal);
  const known = new Set(reply.facts.map(({ fact }) => fact.id));
  const missing = facts
    .flatMap(({ fact, from_card }) => (from_card || known.has(fact.id) ? [] : [fact]))
    .slice(0, SHOWN);
  if (missing.length === 0) return [];
  const asked = await askRecall(client, { ...body, why_not: missing.map(({ id }) => id) }, signal);
  const stages = new Map(asked.why_not?.map(({ id, stage }) => [id, stage]));
  return missing.map((fact) => ({ fact, stage: stages.get(fact.id) ?? 'unknown' }));
};

const Named = (props: AskedRecall) => {
  const { client, own } = useSession('recall');
  const asked = useRequest((signal) => readLeftOut(client, props, signal), []);
  const because: Readonly<Record<string, string>> = own.because;
  return (
    <Answer asked={asked}>
      {(missing) =>
        missing.length === 0 ? (
          <p class="muted">{own.noneNamed}</p>
        ) : (
          <ol class="left-out-facts">
            {missing.map(({ fact, stage }) => (
              <li key={fact.id}>
                <FactLine fact={fact} />
                <p class="muted">{because[stage] ?? fill(own.becauseOther, { stage })}</p>
              </li>
            ))}
          </ol>
        )
      }
    </Answer>
  );
};
