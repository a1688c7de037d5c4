import { NotFoundError } from '../../../../../client/client.ts';
import { Button } from '../../kit/button.tsx';
import { ConfirmDialog } from '../../kit/confirm-dialog.tsx';
import { DetailView } from '../../kit/detail-view.tsx';
import { Instant } from '../../kit/instant.tsx';
import { ScreenHead } from '../../kit/screen-head.tsx';
import { ShownText } from '../../kit/shown-text.tsx';
import { Answer } from '../../kit/state.tsx';
import { Tags } from '../../kit/tags.tsx';
import { type Actions, useActions } from '../../kit/use-actions.tsx';
import { useRequest } from '../../kit/use-request.ts';
import { hasRoute, may, useSession } from '../../session/session.ts';
import { useAddress } from '../../shell/address.ts';
import { fill } from '../../texts/texts.ts';
import { FederationLog } from './federation-log.tsx';
import { LagTables, useLag } from './lag.tsx';
import { type Peer, PeerState } from './peer-state.tsx';

/** One peer: its agreement, its lag and its log. */
export const OnePeer = ({ id }: { id: string }) => {
  const { client, setup, own } = useSession('peers');
  const asked = useRequest(
    async (signal) => {
      const { peers } = await client.call('GET /v1/federation/peers', { signal });
      const found = peers.find(({ peer_id: each }) => each === id);
      if (found === undefined) throw new NotFoundError({ status: 404, code: 'not_found', detail: own.unknown });
      return found;
    },
    [id],
  );
  const actions = useActions(asked.reload);
  return (
    <>
      <DetailView screen="peers" asked={asked}>
        {(peer) => (
          <>
            <PeerHead peer={peer} actions={actions} />
            {peer.status === 'active' && <PeerLag id={id} />}
          </>
        )}
      </DetailView>
      {hasRoute(setup, 'GET /v1/federation/audit') && <FederationLog peer={id} />}
    </>
  );
};

const PeerHead = ({ peer, actions }: { peer: Peer; actions: Actions }) => {
  const { reader, own } = useSession('peers');
  const declared = peer.own_declaration;
  return (
    <>
      <ScreenHead title={<ShownText text={peer.node_id} />}>
        {may(reader, 'admin') && peer.status !== 'revoked' && (
          <Button
            text={own.end}
            class="danger"
            onClick={() => actions.show(<EndPeer peer={peer} onClose={actions.close} />)}
          />
        )}
      </ScreenHead>
      {actions.view}
      <dl class="members">
        <dt>{own.state}</dt>
        <dd>
          <PeerState status={peer.status} /> <Instant at={peer.established_at ?? peer.created_at} />
        </dd>
        <dt>{own.address}</dt>
        <dd>
          <ShownText text={peer.node_url ?? '–'} />
        </dd>
        <dt>{own.fingerprint}</dt>
        <dd>
          <code class="shown">{peer.public_key_fingerprint ?? '–'}</code>
        </dd>
        <dt>{own.theirs}</dt>
        <dd>
          <Tags words={peer.allowed_scopes} />
        </dd>
        <dt>{own.direction}</dt>
        <dd>{peer.direction === null ? '–' : own.directions[peer.direction]}</dd>
        <dt>{own.ours}</dt>
        <dd>
          {declared === null ? (
            own.notDeclared
          ) : (
            <>
              <Tags words={declared.allowed_scopes} /> {own.directions[declared.direction]}
            </>
          )}
        </dd>
        <dt>{own.endsOthers}</dt>
        <dd>{peer.may_end_others ? own.endsOthersYes : own.endsOthersNo}</dd>
      </dl>
    </>
  );
};

const PeerLag = ({ id }: { id: string }) => {
  const { own } = useSession('peers');
  const asked = useLag(id);
  return (
    <Answer asked={asked}>
      {(lag) => (
        <>
          <LagTables lag={lag} />
          <p class="muted after-table">
            {fill(own.today, { count: lag.facts_today, most: lag.facts_per_day ?? own.noLimit })}
          </p>
          {lag.quarantined_until !== null && (
            <p>
              <span class="tag bad">{own.quarantined}</span> <Instant at={lag.quarantined_until} />
            </p>
          )}
        </>
      )}
    </Answer>
  );
};

const EndPeer = ({ peer, onClose }: { peer: Peer; onClose: () => void }) => {
  const { client, texts } = useSession();
  const { open } = useAddress();
  const { peers: own } = texts;
  return (
    <ConfirmDialog
      title={fill(own.endTitle, { node: peer.node_id })}
      submit={own.end}
      onClose={onClose}
      onConfirm={async () => {
        await client.call('DELETE /v1/federation/peers/{peer_id}', { params: { peer_id: peer.peer_id } });
        open('peers');
      }}
    >
      <p>{own.endText}</p>
    </ConfirmDialog>
  );
};
