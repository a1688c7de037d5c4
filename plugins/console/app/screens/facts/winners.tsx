import { Instant } from '../../kit/instant.tsx';
import { ScrollBox } from '../../kit/scroll-box.tsx';
import { ShownValue } from '../../kit/shown-value.tsx';
import { useSession } from '../../session/session.ts';
import { addressOf } from '../../shell/address.ts';
import type { Step, TripleHistory } from './use-triple-history.ts';

interface WinnersProps {
  readonly winners: TripleHistory['winners'];
  readonly steps: readonly Step[];
}

/** The winning values over time. Shows nothing if one value has always won. */
export const Winners = ({ winners, steps }: WinnersProps) => {
  const { history: texts } = useSession().texts;
  const periods = winners.flatMap((winner) => winner.periods);
  if (winners.some(({ truncated }) => truncated)) return <p class="muted">{texts.tooMany}</p>;
  if (periods.length < 2) return null;
  const values = new Map(steps.map(({ fact }) => [fact.id, fact.value]));
  return (
    <>
      <h3>{texts.winners}</h3>
      <ScrollBox label={texts.winners}>
        <table>
          <thead>
            <tr>
              <th scope="col">{texts.from}</th>
              <th scope="col">{texts.until}</th>
              <th scope="col">{texts.value}</th>
            </tr>
          </thead>
          <tbody>
            {periods.map(({ fact_ids: ids, from, until }) => (
              <tr key={`${from} ${ids.join(' ')}`}>
                <td>
                  <Instant at={from} />
                </td>
                <td>{until === null ? texts.still : <Instant at={until} />}</td>
                <td>
                  {ids.map((id) => {
                    const value = values.get(id);
                    return (
                      <p key={id}>
                        {value !== undefined && <ShownValue value={value} />}{' '}
                        <a href={addressOf('facts', { id })}>{texts.see}</a>
                      </p>
                    );
                  })}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollBox>
    </>
  );
};
