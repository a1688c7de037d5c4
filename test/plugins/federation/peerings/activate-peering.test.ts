import { expect } from 'chai';
import { forEachStore } from '../../../kit/for-each-store.ts';
import {
  connect,
  eventsOf,
  listed,
  PEERS,
  type PeerNode,
  peerPlace,
  post,
  signDeclaration,
  startPeer,
} from './peering-nodes.ts';

forEachStore('a peering', () => {
  let a: PeerNode;
  let b: PeerNode;
  beforeEach(async () => {
    const place = peerPlace();
    a = await startPeer('alpha', place);
    b = await startPeer('beta', place);
  });
  afterEach(async () => {
    await a.node.stop();
    await b.node.stop();
  });
  const now = (aheadMs = 0) => new Date(a.node.clock.nowMs() + aheadMs).toISOString();

  it('becomes active on a node once both declarations are registered there', async () => {
    const theirs = signDeclaration(b, { target_node_id: a.id, signed_at: now() });
    const first = await post(a, theirs);
    expect([first.status, first.body.status]).to.deep.equal([201, 'pending_verification']);
    expect(first.body.verified_at).to.equal(now());
    expect(await eventsOf(a)).to.deep.equal([]);
    const ours = signDeclaration(a, { target_node_id: b.id, signed_at: now() });
    const second = await post(a, ours);
    expect(second.body).to.deep.equal({ peer_id: first.body.peer_id, status: 'active', verified_at: now() });
    expect(await listed(b)).to.deep.equal([]);
    const [peer, ...more] = await listed(a);
    expect(more).to.deep.equal([]);
    expect(peer).to.deep.include({
      peer_id: first.body.peer_id,
      node_id: b.id,
      node_url: b.url,
      status: 'active',
      allowed_scopes: ['public'],
      direction: 'bidirectional',
      established_at: now(),
      signed_at: now(),
      created_at: now(),
      own_declaration: { allowed_scopes: ['public'], direction: 'bidirectional', signed_at: now() },
    });
    expect(peer?.['public_key_fingerprint']).to.match(/^sha256:[0-9a-f]{64}$/);
    const [event] = await eventsOf(a);
    expect(event).to.deep.include({ event_type: 'peer_approved', peer_id: first.body.peer_id, ts: now() });
  });

  it('ends in both directions when revoked, and restarts with newer declarations', async () => {
    await connect(a, b);
    const [peer] = await listed(a);
    expect((await a.node.request('DELETE', `${PEERS}/${peer?.['peer_id']}`, { key: a.operator })).status).to.equal(204);
    expect((await listed(a))[0]).to.include({ status: 'revoked', own_declaration: null });
    for (const body of [
      signDeclaration(b, { target_node_id: a.id, signed_at: now() }),
      signDeclaration(a, { target_node_id: b.id, signed_at: now() }),
    ]) {
      expect((await post(a, body)).body).to.include({ status: 409, code: 'stale_declaration' });
    }
    const theirs = signDeclaration(b, { target_node_id: a.id, signed_at: now(1_000) });
    expect((await post(a, theirs)).body.status).to.equal('pending_verification');
    const ours = signDeclaration(a, { target_node_id: b.id, signed_at: now(1_000) });
    expect((await post(a, ours)).body).to.include({ status: 'active', peer_id: peer?.['peer_id'] });
    expect((await eventsOf(a)).map(({ event_type }) => event_type)).to.have.members([
      'peer_approved',
      'peer_revoked',
      'peer_approved',
    ]);
  });
});
