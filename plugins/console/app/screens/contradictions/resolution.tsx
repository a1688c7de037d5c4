import type { Conflict } from '../../../../../client/client.ts';
import { Instant } from '../../kit/instant.tsx';
import { ShownText } from '../../kit/shown-text.tsx';
import { ShownValue } from '../../kit/shown-value.tsx';
import { Answer } from '../../kit/state.tsx';
import { useRequest } from '../../kit/use-request.ts';
import { useSession } from '../../session/session.ts';
import { addressOf } from '../../shell/address.ts';
import { FactReason } from '../facts/fact-reason.tsx';

/** The resolution of a contradiction: value, author, time and note. */
export const Resolution = ({ conflict }: { conflict: Conflict }) => {
  const { client, texts, setup, own } = useSession('contradictions');
  const { conflict_id: id, resolved_by: by } = conflict;
  const asked = useRequest(
    async (signal) => {
      const query = { entity: id, relation: `${setup.service}:conflict:note`, limit: 1 };
      const { facts } = await client.call('GET /v1/facts', { query, signal });
      return { fact: by === null ? undefined : await client.fact(by, { signal }), note: facts[0]?.value.v };
    },
    [id, by],
  );
  return (
    <section class="card resolution" aria-label={own.resolution}>
      <h3>{own.resolution}</h3>
      <Answer asked={asked}>
        {({ fact, note }) => (
          <>
            <dl class="members">
              {fact && (
                <>
                  <dt>{own.value}</dt>
                  <dd>
                    <ShownValue value={fact.value} short={false} />{' '}
                  </dd>
                  <dt>{own.by}</dt>
                  <dd>
                    <ShownText text={fact.source} />
                  </dd>
                  <dt>{own.at}</dt>
                  <dd>
                    <Instant at={fact.timestamp} /> <a href={addressOf('facts', { id: fact.id })}>{own.look}</a>
                  </dd>
                </>
              )}
              {(note !== undefined || fact === undefined) && (
                <>
                  <dt>{own.note}</dt>
                  <dd>
                    {note === undefined ? (
                      <span class="muted">{texts.none}</span>
                    ) : (
                      <ShownText text={String(note)} short={false} />
                    )}
                  </dd>
                </>
              )}
            </dl>
            {/* A new value carries its reason itself. */}
            {note === undefined && fact !== undefined && <FactReason id={fact.id} />}
          </>
        )}
      </Answer>
    </section>
  );
};
