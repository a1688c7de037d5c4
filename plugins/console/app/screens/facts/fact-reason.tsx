import { ShownText } from '../../kit/shown-text.tsx';
import { useRequest } from '../../kit/use-request.ts';
import { useSession } from '../../session/session.ts';

/** The reason that somebody gave for a fact; nothing without one. */
export const FactReason = ({ id }: { id: string }) => {
  const { client, setup, texts } = useSession();
  const { service } = setup;
  const asked = useRequest(
    async (signal) => {
      const query = { entity: `${service}:fact:${id}`, relation: `${service}:reason`, limit: 1 };
      return (await client.call('GET /v1/facts', { query, signal })).facts[0];
    },
    [id],
  );
  if (asked.data === undefined) return null;
  return (
    <p>
      <span class="muted">{texts.correct.reason}:</span> <ShownText text={String(asked.data.value.v)} short={false} />
    </p>
  );
};
