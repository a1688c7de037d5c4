import { Instant } from '../../kit/instant.tsx';
import { ScrollBox } from '../../kit/scroll-box.tsx';
import { ShownText } from '../../kit/shown-text.tsx';
import { Answer } from '../../kit/state.tsx';
import { useRequest } from '../../kit/use-request.ts';
import { useSession } from '../../session/session.ts';

/** The audit entries of a fact. */
export const FactAudit = ({ id }: { id: string }) => {
  const { client, texts } = useSession();
  const asked = useRequest((signal) => client.call('GET /v1/audit/facts/{id}', { params: { id }, signal }), [id]);
  const { factAudit } = texts;
  return (
    <section>
      <h2>{factAudit.title}</h2>
      <Answer asked={asked}>
        {(entries) =>
          entries.length === 0 ? (
            <p class="muted">{factAudit.none}</p>
          ) : (
            <ScrollBox label={factAudit.title}>
              <table>
                <thead>
                  <tr>
                    <th scope="col">{factAudit.at}</th>
                    <th scope="col">{factAudit.event}</th>
                    <th scope="col">{factAudit.by}</th>
                    <th scope="col">{factAudit.signed}</th>
                  </tr>
                </thead>
                <tbody>
                  {entries.map((entry) => (
                    <tr key={entry.id}>
                      <td>
                        <Instant at={entry.ts} />
                      </td>
                      <td>
                        <code>{entry.event_type}</code>
                      </td>
                      <td>
                        <ShownText text={entry.oidc_sub ?? entry.entity_uri} />
                      </td>
                      <td>
                        <ShownText text={entry.attested_key_description ?? entry.attested_key_id ?? '–'} />
                      </td>
                    </tr>
                  ))}
                </tbody>
              </table>
            </ScrollBox>
          )
        }
      </Answer>
    </section>
  );
};
