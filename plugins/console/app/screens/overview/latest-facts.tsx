import type { AnswerOf } from '../../../../../client/client.ts';
import { FactLine } from '../../kit/fact-line.tsx';
import { Answer, Empty } from '../../kit/state.tsx';
import { useRequest } from '../../kit/use-request.ts';
import { hasRoute, may, useSession } from '../../session/session.ts';
import { addressOf } from '../../shell/address.ts';
import { CountsSection } from './counts-section.tsx';
import { FirstSteps } from './first-steps.tsx';

const SHOWN = 8;

/** The number of facts over time and the newest facts; on an empty node, ways to its first facts. */
export const LatestFacts = ({ round }: { round: number }) => {
  const { client, texts, setup, reader } = useSession();
  const query = { limit: SHOWN, include_contradicted: true };
  const asked = useRequest((signal) => client.call('GET /v1/facts', { query, signal }), [round]);
  return (
    <Answer asked={asked}>
      {({ facts }) => {
        if (facts.length > 0) {
          return (
            <>
              {hasRoute(setup, 'GET /v1/facts/{id}/history') && <CountsSection round={round} />}
              <FactsSection facts={facts} />
            </>
          );
        }
        return may(reader, 'write') ? (
          <FirstSteps />
        ) : (
          <Empty title={texts.facts.nothing} hint={texts.facts.nothingHintRead} />
        );
      }}
    </Answer>
  );
};

const FactsSection = ({ facts }: Pick<AnswerOf<'GET /v1/facts'>, 'facts'>) => (
  <section aria-labelledby="latest">
    <h2 id="latest">
      <a href={addressOf('facts')}>{useSession().texts.overview.latest}</a>
    </h2>
    <ul class="latest">
      {facts.map((fact) => (
        <li key={fact.id}>
          <FactLine fact={fact} />
        </li>
      ))}
    </ul>
  </section>
);
