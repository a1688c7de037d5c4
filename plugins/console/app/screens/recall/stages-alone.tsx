import { useState } from 'preact/hooks';
import type { FactClient, RecallReply, ScoredFact } from '../../../../../client/client.ts';
import { ScrollBox } from '../../kit/scroll-box.tsx';
import { ShownText } from '../../kit/shown-text.tsx';
import { ShownValue } from '../../kit/shown-value.tsx';
import { Answer } from '../../kit/state.tsx';
import { useRequest } from '../../kit/use-request.ts';
import { useSession } from '../../session/session.ts';
import { addressOf } from '../../shell/address.ts';
import { askRecall } from './ask-recall.ts';
import type { RecallBody } from './recall-settings.ts';
import { onlyStage, STAGES, type Stage, sharesOf } from './weights.ts';

interface StagesAloneProps {
  readonly label: string;
  readonly body: RecallBody;
  readonly reply: RecallReply;
}

/** The results of each stage alone: one more request per stage, with all weight on it. */
export const StagesAlone = (props: StagesAloneProps) => {
  const { recall: own } = useSession().texts;
  const [isOpen, setOpen] = useState(false);
  return (
    <details class="stages" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{own.stagesAlone}</summary>
      <p class="hint">{own.stagesAloneHint}</p>
      {isOpen && <StageTable {...props} />}
    </details>
  );
};

interface Place {
  readonly rank: number;
  readonly score: number;
}

type Column = Stage | 'together';
const COLUMNS: readonly Column[] = ['together', ...STAGES];

/** A fact with its rank in each column. */
interface Row {
  readonly fact: ScoredFact['fact'];
  readonly places: Partial<Record<Column, Place>>;
}

const SHOWN = 100;

const readRows = async (
  client: FactClient,
  { body, reply }: StagesAloneProps,
  signal: AbortSignal,
): Promise<readonly Row[]> => {
  const rows = new Map<string, Row>();
  const add = (column: Column, { facts }: RecallReply): void => {
    for (const [at, { fact, score }] of facts.entries()) {
      const row = rows.get(fact.id) ?? { fact, places: {} };
      rows.set(fact.id, { fact, places: { ...row.places, [column]: { rank: at + 1, score } } });
    }
  };
  add('together', reply);
  for (const stage of STAGES) {
    add(stage, await askRecall(client, { ...body, weights: sharesOf(onlyStage(stage)) }, signal));
  }
  return [...rows.values()];
};

const StageTable = (props: StagesAloneProps) => {
  const { client, texts } = useSession();
  const { recall: own } = texts;
  const asked = useRequest((signal) => readRows(client, props, signal), []);
  return (
    <Answer asked={asked}>
      {(rows) => (
        <ScrollBox label={props.label} class="stages-all">
          <table class="stage-table">
            <thead>
              <tr>
                {COLUMNS.map((column) => (
                  <th key={column} scope="col">
                    {column === 'together' ? own.together : own.weightNames[column]}
                  </th>
                ))}
                <th scope="col">{own.fact}</th>
              </tr>
            </thead>
            <tbody>
              {rows.slice(0, SHOWN).map(({ fact, places }) => (
                <tr key={fact.id}>
                  {COLUMNS.map((column) => (
                    <td key={column}>
                      <PlaceCell place={places[column]} />
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
      )}
    </Answer>
  );
};

const PlaceCell = ({ place }: { place: Place | undefined }) =>
  place === undefined ? (
    <span class="muted">–</span>
  ) : (
    <>
      <strong>{place.rank}</strong> <span class="muted">{place.score.toFixed(2)}</span>
    </>
  );
