import { useState } from 'preact/hooks';
import type { NeighborPage } from '../../../../../client/client.ts';
import { Button } from '../../kit/button.tsx';
import { Problem } from '../../kit/problem.tsx';
import { ScreenHead } from '../../kit/screen-head.tsx';
import { ShownText } from '../../kit/shown-text.tsx';
import { Loading } from '../../kit/state.tsx';
import { usePaged } from '../../kit/use-paged.ts';
import { usePreviousItems } from '../../kit/use-previous-items.ts';
import { useSession } from '../../session/session.ts';
import { addressOf, useAddress } from '../../shell/address.ts';
import { GraphPicture } from './graph-picture.tsx';

const PAGE_NEIGHBOURS = 100;

export type Neighbour = NeighborPage['neighbors'][number];

interface NeighboursProps {
  readonly uri: string;
  readonly asOf: string | undefined;
  readonly round: number;
}

/** The entities around one, as a picture and as a list for keyboards and screen readers. */
export const Neighbours = ({ uri, asOf, round }: NeighboursProps) => {
  const { client, texts } = useSession();
  const { graph: words } = texts;
  const { query, open } = useAddress();
  const [depth, setDepth] = useState(1);
  const around = usePaged<Neighbour>(
    async (cursor, signal) => {
      const asked = { entity: uri, depth, limit: PAGE_NEIGHBOURS };
      const page = await client.call('GET /v1/graph/neighbors', {
        query: { ...asked, ...(asOf && { as_of: asOf }), ...(cursor && { cursor }) },
        signal,
      });
      return { items: page.neighbors, cursor: page.next_cursor };
    },
    [uri, asOf, depth, round],
  );
  const { items, isLoading, error, hasMore, readMore, reload } = usePreviousItems(around);
  return (
    <section class="entity-graph">
      <ScreenHead level={2} title={words.title}>
        <label class="switch">
          {words.depth}
          <select value={String(depth)} onChange={({ currentTarget }) => setDepth(Number(currentTarget.value))}>
            <option value="1">{words.one}</option>
            <option value="2">{words.two}</option>
          </select>
        </label>
      </ScreenHead>
      {error !== undefined && <Problem error={error} retry={reload} />}
      {isLoading && items.length === 0 && <Loading />}
      {!isLoading && error === undefined && items.length === 0 && <p class="muted">{words.none}</p>}
      {items.length > 0 && (
        <>
          <GraphPicture
            seed={uri}
            neighbours={items}
            onOpen={(chosen) => open('entities', { uri: chosen, as_of: query.as_of })}
          />
          <NeighbourList neighbours={items} asOf={asOf} />
        </>
      )}
      {hasMore && !isLoading && <Button text={words.more} onClick={readMore} />}
    </section>
  );
};

const NeighbourList = ({ neighbours, asOf }: { neighbours: readonly Neighbour[]; asOf: string | undefined }) => {
  const { graph: words } = useSession().texts;
  return (
    <ul class="neighbours" aria-label={words.list}>
      {neighbours.map(({ entity, relation, hops, path }) => (
        <li key={entity}>
          <a href={addressOf('entities', { uri: entity, as_of: asOf })}>
            <ShownText text={entity} />
          </a>{' '}
          <span class="muted">
            <ShownText text={relation} />
            {hops > 1 && (
              <>
                {' '}
                {words.by} <ShownText text={path.at(-1) ?? ''} />
              </>
            )}
          </span>
        </li>
      ))}
    </ul>
  );
};
