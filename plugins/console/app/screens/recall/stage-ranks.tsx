import type { RecallReply } from '../../../../../client/client.ts';
import { ScrollBox } from '../../kit/scroll-box.tsx';
import { ShownText } from '../../kit/shown-text.tsx';
import { ShownValue } from '../../kit/shown-value.tsx';
import { Term } from '../../kit/term.tsx';
import { useSession } from '../../session/session.ts';
import { addressOf } from '../../shell/address.ts';

interface StageRanksProps {
  readonly label: string;
  readonly reply: RecallReply;
}

type Why = NonNullable<RecallReply['facts'][number]['why']>;
type Stage = keyof Why['found_by'];

/** The stages, and the names of their weights. */
const STAGES = [
  ['lexical', 'lexical'],
  ['semantic', 'vector'],
  ['graph', 'graph'],
] as const satisfies readonly (readonly [Stage, string])[];

const SHOWN = 100;

/** The place of each recalled fact in each stage that found it. */
export const StageRanks = ({ label, reply }: StageRanksProps) => {
  const { own } = useSession('recall');
  return (
    <details class="stages">
      <summary>{own.stages}</summary>
      <p class="hint">{own.stagesHint}</p>
      <ScrollBox label={label} class="stages-all">
        <table class="stage-table">
          <thead>
            <tr>
              <th scope="col">
                <Term name="together" means={own.togetherMeans}>
                  {own.together}
                </Term>
              </th>
              {STAGES.map(([stage, weight]) => (
                <th key={stage} scope="col">
                  {own.weightNames[weight]}
                </th>
              ))}
              <th scope="col">{own.fact}</th>
            </tr>
          </thead>
          <tbody>
            {reply.facts.slice(0, SHOWN).map(({ fact, score, why }) => (
              <tr key={fact.id}>
                <td>
                  <PlaceCell place={why && { rank: why.rank, score }} />
                </td>
                {STAGES.map(([stage]) => (
                  <td key={stage}>
                    <PlaceCell place={why?.found_by[stage]} />
                  </td>
                ))}
                <td>
                  <a href={addressOf('entities', { uri: fact.entity })}>
                    <ShownText text={fact.entity} />
                  </a>{' '}
                  <span class="muted">
                    <ShownText text={fact.relation} />
                  </span>{' '}
                  <ShownValue value={fact.value} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollBox>
    </details>
  );
};

const PlaceCell = ({ place }: { place: Why['found_by'][Stage] }) =>
  place === undefined ? (
    <span class="muted">–</span>
  ) : (
    <>
      <strong>{place.rank}</strong> <span class="muted">{place.score.toFixed(2)}</span>
    </>
  );
