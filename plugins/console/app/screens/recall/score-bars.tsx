import type { RecallReply } from '../../../../../client/client.ts';
import { Term } from '../../kit/term.tsx';
import { useTexts } from '../../kit/use-texts.ts';

type Breakdown = RecallReply['facts'][number]['score_breakdown'];
type Part = keyof Breakdown;

const STAGE_PARTS: readonly Part[] = ['lexical', 'semantic', 'graph', 'fused'];
const FACTORS: readonly Part[] = [
  'named',
  'timed',
  'recency',
  'confidence',
  'access',
  'contradiction',
  'garden_tier',
  'source_trust',
];

/** The scores of the stages, their sum, the factors and the total, as bars with numbers. */
export const ScoreBars = ({ breakdown }: { breakdown: Breakdown }) => (
  <dl class="scores">
    {STAGE_PARTS.map((part) => (
      <Bar key={part} part={part} kind={part === 'fused' ? 'fused' : 'stage'} breakdown={breakdown} />
    ))}
    {FACTORS.map((part) => (
      <Bar key={part} part={part} kind="factor" breakdown={breakdown} />
    ))}
    <Bar part="weighted_total" kind="total" breakdown={breakdown} />
  </dl>
);

interface BarProps {
  readonly part: Part;
  readonly kind: string;
  readonly breakdown: Breakdown;
}

const Bar = ({ part, kind, breakdown }: BarProps) => {
  const { recall: texts } = useTexts();
  const value = breakdown[part];
  return (
    <div class={`score score-${kind}`}>
      <dt>
        <Term name={part} means={texts.partMeans[part]}>
          {texts.parts[part]}
        </Term>
      </dt>
      <dd>
        <span class="score-bar" aria-hidden="true">
          <span style={{ width: `${shareOf(part, value) * 100}%` }} />
        </span>
        {value.toFixed(part === 'weighted_total' ? 3 : 2)}
      </dd>
    </div>
  );
};

/** Factors that only raise a score, and how far. */
const RAISING: readonly Part[] = ['named', 'timed'];
const RAISED_MOST = 1.5;

const shareOf = (part: Part, value: number): number =>
  Math.min(1, Math.max(0, RAISING.includes(part) ? (value - 1) / (RAISED_MOST - 1) : value));
