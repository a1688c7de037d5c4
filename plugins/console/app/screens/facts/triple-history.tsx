import { Button } from '../../kit/button.tsx';
import { Instant } from '../../kit/instant.tsx';
import { Problem } from '../../kit/problem.tsx';
import { ShownText } from '../../kit/shown-text.tsx';
import { ShownValue } from '../../kit/shown-value.tsx';
import { Loading } from '../../kit/state.tsx';
import { useSession } from '../../session/session.ts';
import { addressOf } from '../../shell/address.ts';
import { plural } from '../../texts/texts.ts';
import type { TripleHistory as History, Step } from './use-triple-history.ts';
import { Winners } from './winners.tsx';

/** The history of a triple: each step, oldest first, and the winners over time. */
export const TripleHistory = ({ id, history }: { id: string; history: History }) => {
  const { history: texts } = useSession().texts;
  const { steps, winners } = history;
  return (
    <section>
      <h2>{texts.title}</h2>
      <ol class="timeline">
        {steps.items.map((step) => (
          <StepLine key={step.stamp} step={step} isThis={step.fact.id === id} />
        ))}
      </ol>
      {steps.isLoading && <Loading />}
      {steps.error !== undefined && <Problem error={steps.error} retry={steps.reload} />}
      {steps.hasMore && !steps.isLoading && <Button text={texts.more} onClick={steps.readMore} />}
      <Winners winners={winners} steps={steps.items} />
    </section>
  );
};

const StepLine = ({ step, isThis }: { step: Step; isThis: boolean }) => {
  const { history: texts } = useSession().texts;
  const { event, fact, ended, contradicts } = step;
  return (
    <li data-event={event}>
      <p class="fact-says">
        <span class="tag">{texts.events[event]}</span>
        <ShownValue value={fact.value} />
        {isThis ? (
          <span class="muted">{texts.thisFact}</span>
        ) : (
          <a href={addressOf('facts', { id: fact.id })}>{texts.see}</a>
        )}
      </p>
      <p class="fact-about muted">
        <ShownText text={fact.source} />
        <Instant at={step.recorded_at} />
        {contradicts.length > 0 && <span class="tag warn">{plural(texts.contradicts, contradicts.length)}</span>}
        {ended !== null && (
          <span>
            {texts.endedBy[ended.by]} <Instant at={ended.at} />
          </span>
        )}
      </p>
    </li>
  );
};
