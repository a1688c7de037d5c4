import { useState } from 'preact/hooks';
import type { RecallReply } from '../../../../../client/client.ts';
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
  const { recall: own } = useSession().texts;
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
      {isNamed ? (
        <Named body={body} reply={reply} />
      ) : (
        <button type="button" onClick={() => name(true)}>
          {own.nameThem}
        </button>
      )}
    </section>
  );
};

const WHOLE_BUDGET = 200_000;
const MOST = 500;
const SHOWN = 50;

/** Finds the facts left out by another request with the largest possible budget. */
const Named = ({ body, reply }: AskedRecall) => {
  const { client, texts } = useSession();
  const { recall: own } = texts;
  const wide = { ...body, token_budget: WHOLE_BUDGET, limit: MOST, include_contradicted: true };
  const asked = useRequest((signal) => askRecall(client, wide, signal), []);
  const known = new Set(reply.facts.map(({ fact }) => fact.id));
  const left = reply.token_budget - reply.tokens_used;
  return (
    <Answer asked={asked}>
      {({ facts }) => {
        const missing = facts.filter(({ fact }) => !known.has(fact.id));
        if (missing.length === 0) return <p class="muted">{own.noneNamed}</p>;
        return (
          <ol class="left-out-facts">
            {missing.slice(0, SHOWN).map(({ fact, token_estimate: tokens }) => (
              <li key={fact.id}>
                <FactLine fact={fact} />
                <p class="muted">
                  {fact.contradicted && body.include_contradicted !== true
                    ? own.becauseContradicted
                    : tokens > left
                      ? fill(own.becauseBudget, { tokens, left })
                      : own.becauseLimit}
                </p>
              </li>
            ))}
          </ol>
        );
      }}
    </Answer>
  );
};
