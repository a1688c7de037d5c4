import { Button } from '../../kit/button.tsx';
import { Instant } from '../../kit/instant.tsx';
import { NumberTerms } from '../../kit/number-terms.tsx';
import { type Column, RecordTable } from '../../kit/record-table.tsx';
import { ScreenHead } from '../../kit/screen-head.tsx';
import { ShownText } from '../../kit/shown-text.tsx';
import { Answer, Empty } from '../../kit/state.tsx';
import { Tags } from '../../kit/tags.tsx';
import { useActions } from '../../kit/use-actions.tsx';
import { useRequest } from '../../kit/use-request.ts';
import { hasRoute, may, useSession } from '../../session/session.ts';
import { addressOf } from '../../shell/address.ts';
import type { Texts } from '../../texts/texts.ts';
import { AddPeer } from './add-peer.tsx';
import { FederationLog } from './federation-log.tsx';
import { LagInShort } from './lag.tsx';
import { PairNode } from './pair-node.tsx';
import { type Peer, PeerState } from './peer-state.tsx';

export const PeerList = () => {
  const { client, texts, setup, reader, own } = useSession('peers');
  const asked = useRequest((signal) => client.call('GET /v1/federation/peers', { signal }), []);
  const actions = useActions(asked.reload);
  return (
    <>
      <ScreenHead title={texts.screens.peers}>
        {hasRoute(setup, 'POST /v1/federation/peers') && (
          <Button text={own.add} onClick={() => actions.show(<AddPeer actions={actions} />)} />
        )}
        {may(reader, 'admin') && hasRoute(setup, 'POST /v1/federation/declarations') && (
          <Button text={own.pair} class="primary" onClick={() => actions.show(<PairNode actions={actions} />)} />
        )}
      </ScreenHead>
      <p class="lead">{own.lead}</p>
      {actions.view}
      <Answer asked={asked}>
        {({ peers }) => (
          <RecordTable
            label={texts.screens.peers}
            columns={columnsOf(own)}
            rows={peers}
            keyOf={({ peer_id: id }) => id}
            empty={<Empty title={own.nothing} hint={own.nothingHint} />}
          />
        )}
      </Answer>
      {asked.data !== undefined && asked.data.peers.length > 0 && <NumberTerms names={['factsBehind']} />}
      {hasRoute(setup, 'GET /v1/federation/audit') && <FederationLog />}
    </>
  );
};

const columnsOf = (texts: Texts['peers']): readonly Column<Peer>[] => [
  {
    title: texts.node,
    show: ({ peer_id: peer, node_id: id, node_url: url }) => (
      <>
        <a href={addressOf('peers', { peer })}>
          <ShownText text={id} />
        </a>
        {url !== null && (
          <div class="muted">
            <ShownText text={url} />
          </div>
        )}
      </>
    ),
  },
  { title: texts.state, show: ({ status }) => <PeerState status={status} /> },
  { title: texts.scopes, show: ({ allowed_scopes: scopes }) => <Tags words={scopes} /> },
  { title: texts.direction, show: ({ direction }) => (direction === null ? '–' : texts.directions[direction]) },
  {
    title: texts.lag,
    show: ({ peer_id: id, status }) => (status === 'active' ? <LagInShort id={id} /> : '–'),
  },
  { title: texts.since, show: ({ established_at: at }) => <Instant at={at} relative /> },
];
