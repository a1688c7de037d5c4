import { useSession } from '../../session/session.ts';
import { fill } from '../../texts/texts.ts';
import type { Recalled } from './ask-recall.ts';

/** The number of hits, their share of the budget, and stages that could not answer. */
export const RecallSummary = ({ recalled: { reply, ms } }: { recalled: Recalled }) => {
  const { own } = useSession('recall');
  const { facts, total_scored: scored, tokens_used: used, token_budget: budget, degraded, truncated } = reply;
  const reasons: Readonly<Record<string, string>> = own.degraded;
  return (
    <div class="recall-summary">
      <p>
        {fill(own.found, { shown: facts.length, scored })}
        <span class="meter">
          <meter min={0} max={budget} value={used} aria-hidden="true" />
          {fill(own.tokens, { used, budget })}
        </span>
        <span class="muted">{fill(own.took, { ms: Math.round(ms) })}</span>
        {truncated && <span class="tag warn">{own.truncated}</span>}
      </p>
      {degraded.length > 0 && (
        <ul class="degraded">
          {degraded.map((word) => (
            <li key={word}>{reasons[word] ?? fill(own.degradedOther, { word })}</li>
          ))}
        </ul>
      )}
    </div>
  );
};
