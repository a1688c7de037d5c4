import { useState } from 'preact/hooks';
import type { AnswerOf } from '../../../../../client/client.ts';
import { Instant } from '../../kit/instant.tsx';
import { JsonLine } from '../../kit/json-text.tsx';
import { RecordLine } from '../../kit/record-line.tsx';
import { Empty } from '../../kit/state.tsx';
import { useDebounced } from '../../kit/use-debounced.ts';
import { usePaged } from '../../kit/use-paged.ts';
import { VirtualRows } from '../../kit/virtual-rows.tsx';
import { useSession } from '../../session/session.ts';

type Entry = AnswerOf<'GET /v1/federation/audit'>['entries'][number];

const PAGE_ENTRIES = 100;

/** The log of the exchange with all peers, or with one. */
export const FederationLog = ({ peer }: { peer?: string }) => {
  const { client, own } = useSession('peers');
  const [event, setEvent] = useState('');
  const settled = useDebounced(event.trim());
  const entries = usePaged<Entry>(
    async (cursor, signal) => {
      const page = await client.call('GET /v1/federation/audit', {
        query: {
          limit: PAGE_ENTRIES,
          ...(cursor && { cursor }),
          ...(peer && { peer_id: peer }),
          ...(settled !== '' && { event_type: settled }),
        },
        signal,
      });
      return { items: page.entries, cursor: page.has_more ? page.cursor : null };
    },
    [peer, settled],
  );
  return (
    <section>
      <h2>{own.log}</h2>
      <div class="bar">
        <input
          class="grow"
          type="search"
          aria-label={own.eventFilter}
          placeholder={own.eventFilter}
          value={event}
          onInput={({ currentTarget }) => setEvent(currentTarget.value)}
        />
      </div>
      <VirtualRows label={own.log} paged={entries} keyOf={({ id }) => id} empty={<Empty title={own.noLog} />}>
        {(entry) => (
          <RecordLine
            head={
              <>
                <strong>{entry.event_type}</strong>
                <Instant at={entry.ts} relative />
              </>
            }
            about={entry.detail !== null && <JsonLine value={entry.detail} />}
          />
        )}
      </VirtualRows>
    </section>
  );
};
