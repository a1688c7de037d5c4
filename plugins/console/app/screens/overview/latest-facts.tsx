import { FactLine } from '../../kit/fact-line.tsx';
import { Answer, Empty } from '../../kit/state.tsx';
import { useRequest } from '../../kit/use-request.ts';
import { may, useSession } from '../../session/session.ts';
import { addressOf } from '../../shell/address.ts';

const SHOWN = 8;

export const LatestFacts = ({ round }: { round: number }) => {
  const { client, texts, reader } = useSession();
  const { overview: own, facts: factTexts } = texts;
  const query = { limit: SHOWN, include_contradicted: true };
  const asked = useRequest((signal) => client.call('GET /v1/facts', { query, signal }), [round]);
  return (
    <section aria-labelledby="latest">
      <h2 id="latest">
        <a href={addressOf('facts')}>{own.latest}</a>
      </h2>
      <Answer asked={asked}>
        {({ facts }) =>
          facts.length === 0 ? (
            <Empty title={factTexts.nothing}>
              <p>{may(reader, 'write') ? factTexts.nothingHintElsewhere : factTexts.nothingHintRead}</p>
            </Empty>
          ) : (
            <ul class="latest">
              {facts.map((fact) => (
                <li key={fact.id}>
                  <FactLine fact={fact} />
                </li>
              ))}
            </ul>
          )
        }
      </Answer>
    </section>
  );
};
