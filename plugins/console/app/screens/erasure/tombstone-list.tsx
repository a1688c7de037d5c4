import { Instant } from '../../kit/instant.tsx';
import { RecordLine } from '../../kit/record-line.tsx';
import { ShownText } from '../../kit/shown-text.tsx';
import { Empty } from '../../kit/state.tsx';
import { usePaged } from '../../kit/use-paged.ts';
import { VirtualRows } from '../../kit/virtual-rows.tsx';
import { useSession } from '../../session/session.ts';
import { addressOf } from '../../shell/address.ts';
import { type TombstoneState as State, stateOf, type Tombstone } from './tombstone.ts';
import { TombstoneState } from './tombstone-state.tsx';

interface Listed {
  readonly tombstone: Tombstone;
  readonly state: State;
}

const PAGE_TOMBSTONES = 100;

/** The tombstones of the tenant, newest first. */
export const TombstoneList = () => {
  const { client, own } = useSession('erasure');
  const tombstones = usePaged<Listed>(async (cursor, signal) => {
    const query = { limit: PAGE_TOMBSTONES, ...(cursor && { cursor }) };
    const page = await client.call('GET /v1/tombstones', { query, signal });
    const items = page.tombstones.map((tombstone) => ({ tombstone, state: stateOf(tombstone, page) }));
    return { items, cursor: page.cursor };
  }, []);
  return (
    <VirtualRows
      label={own.tombstones}
      paged={tombstones}
      keyOf={({ tombstone: { id } }) => id}
      empty={<Empty title={own.noneYet} hint={own.noneYetHint} />}
    >
      {({ tombstone, state }) => (
        <RecordLine
          head={
            <>
              <a href={addressOf('erasure', { entity: tombstone.entity_uri })}>
                <ShownText text={tombstone.entity_uri} />
              </a>
              <TombstoneState tombstone={tombstone} state={state} />
              <span class="tag">{tombstone.scope === '*' ? own.allScopes : tombstone.scope}</span>
            </>
          }
          about={
            <>
              <span>
                {own.since} <Instant at={tombstone.created_at} relative />
              </span>
              {tombstone.reason !== null && <ShownText text={tombstone.reason} />}
            </>
          }
        />
      )}
    </VirtualRows>
  );
};
