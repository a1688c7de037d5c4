import type { RecallReply } from '../../../../../client/client.ts';
import { FactLine } from '../../kit/fact-line.tsx';
import { ShownText } from '../../kit/shown-text.tsx';
import { ShownValue } from '../../kit/shown-value.tsx';
import { useSession } from '../../session/session.ts';
import { addressOf } from '../../shell/address.ts';
import { fill, plural } from '../../texts/texts.ts';
import type { Ranks } from './ranks.ts';
import { ScoreBars } from './score-bars.tsx';

type Scored = RecallReply['facts'][number];

interface HitProps {
  readonly hit: Scored;
  readonly rank: number;
  /** The number of tokens up to this hit. */
  readonly sum: number;
  readonly budget: number;
  readonly others: Ranks | undefined;
}

/** A recalled fact with the parts of its score. */
export const Hit = ({ hit, rank, sum, budget, others }: HitProps) => {
  const { own } = useSession('recall');
  const { fact, token_estimate: tokens, hop_distance: hops } = hit;
  return (
    <div class="hit">
      <p class="hit-rank">
        <span class="hit-number">{rank}</span>
        {others && <RankChange rank={rank} before={others.get(fact.id)} />}
      </p>
      <div class="hit-fact">
        {hit.from_card ? <CardLine hit={hit} /> : <FactLine fact={fact} />}
        <p class="hit-about muted">
          {plural(own.costs, tokens)} · {fill(own.sum, { sum, budget })}
          {hops > 0 && <span class="tag">{plural(own.hops, hops)}</span>}
          {hit.from_card && <span class="tag">{own.fromCard}</span>}
        </p>
        <ScoreBars breakdown={hit.score_breakdown} />
      </div>
    </div>
  );
};

/** Shows the difference to the fact's rank under the other settings. */
const RankChange = ({ rank, before }: { rank: number; before: number | undefined }) => {
  const { own } = useSession('recall');
  if (before === undefined) return <span class="tag warn">{own.onlyHere}</span>;
  if (before === rank) return <span class="tag">=</span>;
  const steps = Math.abs(before - rank);
  const isBetter = rank < before;
  return (
    <span class={isBetter ? 'tag good' : 'tag bad'} title={fill(own.thereRank, { rank: before })}>
      <span aria-hidden="true">
        {isBetter ? '▲' : '▼'} {steps}
      </span>
      <span class="unseen">{plural(isBetter ? own.better : own.worse, steps)}</span>
    </span>
  );
};

/** A card cannot be opened as a fact, because it stands for the facts of its entity. */
const CardLine = ({ hit: { fact } }: { hit: Scored }) => (
  <p class="fact-says">
    <a class="fact-entity" href={addressOf('entities', { uri: fact.entity })}>
      <ShownText text={fact.entity} />
    </a>
    <ShownValue value={fact.value} />
  </p>
);
