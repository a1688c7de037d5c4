import { FactTags } from '../../kit/fact-line.tsx';
import { Instant } from '../../kit/instant.tsx';
import { ShownText } from '../../kit/shown-text.tsx';
import { ShownValue } from '../../kit/shown-value.tsx';
import { Answer } from '../../kit/state.tsx';
import { useAsked } from '../../kit/use-asked.ts';
import { useSession } from '../../session/session.ts';
import { addressOf } from '../../shell/address.ts';

/** One fact with all that is known of it. */
export const OneFact = ({ id }: { id: string }) => {
  const { client, texts } = useSession();
  const asked = useAsked((signal) => client.fact(id, { signal }), [id]);
  return (
    <Answer asked={asked}>
      {(fact) => (
        <>
          <h1>
            <ShownText text={fact.relation} />
          </h1>
          <dl class="members">
            <dt>{texts.fact.entity}</dt>
            <dd>
              <a href={addressOf('entities', { uri: fact.entity })}>
                <ShownText text={fact.entity} />
              </a>
            </dd>
            <dt>{texts.fact.value}</dt>
            <dd>
              <ShownValue value={fact.value} short={false} />
            </dd>
            <dt>{texts.fact.source}</dt>
            <dd>
              <ShownText text={fact.source} />
            </dd>
            <dt>{texts.fact.timestamp}</dt>
            <dd>
              <Instant at={fact.timestamp} />
            </dd>
            <dt>{texts.fact.marks}</dt>
            <dd>
              <FactTags fact={fact} />
            </dd>
          </dl>
        </>
      )}
    </Answer>
  );
};
