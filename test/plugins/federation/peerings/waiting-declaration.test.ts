import { expect } from 'chai';
import { forEachStore } from '../../../kit/for-each-store.ts';
import {
  eventsOf,
  listed,
  minutesUntil,
  type PeerNode,
  type PeerPlace,
  peerPlace,
  post,
  signDeclaration,
  startPeer,
} from './peering-nodes.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

forEachStore('a declaration whose node cannot be reached', () => {
  let place: PeerPlace;
  let a: PeerNode;
  let b: PeerNode;
  beforeEach(async () => {
    place = peerPlace();
    a = await startPeer('alpha', place);
    b = await startPeer('beta', place);
    place.network.partition(a.url, b.url);
  });
  afterEach(async () => {
    await a.node.stop();
    await b.node.stop();
  });
  const now = (aheadMs = 0) => new Date(place.clock.nowMs() + aheadMs).toISOString();
  const statusAt = async (node: PeerNode) => (await listed(node))[0]?.['status'];

  it('grants nothing while it is unverified, and is verified once its node is reachable', async () => {
    await post(a, signDeclaration(a, { target_node_id: b.id, signed_at: now() }));
    const { body } = await post(a, signDeclaration(b, { target_node_id: a.id, signed_at: now() }));
    expect(body).to.include({ status: 'pending_verification', verified_at: null });
    await place.clock.advance(3 * MINUTE_MS);
    expect(await statusAt(a)).to.equal('pending_verification');
    place.network.heal(a.url, b.url);
    await minutesUntil(place, async () => (await statusAt(a)) === 'active');
    const [event] = await eventsOf(a);
    expect(event).to.include({ event_type: 'peer_approved' });
  });

  it('is not retried after a day', async () => {
    await post(a, signDeclaration(b, { target_node_id: a.id, signed_at: now() }));
    place.clock.setNowMs(place.clock.nowMs() + DAY_MS + MINUTE_MS);
    place.network.heal(a.url, b.url);
    await place.clock.advance(2 * MINUTE_MS);
    expect((await listed(a))[0]).to.include({ status: 'pending_verification', public_key_fingerprint: null });
    const { body } = await post(a, signDeclaration(b, { target_node_id: a.id, signed_at: now() }));
    expect(body.verified_at).to.equal(now());
  });

  it('changes the grant of a known peer at once, because it is signed with the pinned key', async () => {
    place.network.heal(a.url, b.url);
    const scopes = { allowed_scopes: ['public', 'company'] };
    await post(a, signDeclaration(a, { target_node_id: b.id, signed_at: now(), ...scopes }));
    await post(a, signDeclaration(b, { target_node_id: a.id, signed_at: now(), ...scopes }));
    place.network.partition(a.url, b.url);
    const less = await post(a, signDeclaration(b, { target_node_id: a.id, signed_at: now(5), allowed_scopes: [] }));
    expect(less.body.status).to.equal('active');
    expect((await listed(a))[0]?.['allowed_scopes']).to.deep.equal(['public']);
    const forged = { ...signDeclaration(b, { target_node_id: a.id, signed_at: now(9) }), direction: 'inbound' };
    expect((await post(a, forged)).body).to.include({ status: 422, code: 'invalid_signature' });
    expect(await statusAt(a)).to.equal('active');
  });
});

describe('the address of a declaration', () => {
  const fetched: string[] = [];
  let a: PeerNode;
  let b: PeerNode;
  beforeEach(async () => {
    const place = peerPlace();
    b = await startPeer('beta', place);
    const transport = place.network.transport;
    const network = {
      ...place.network,
      transport: (url: string) => {
        const own = transport(url);
        return {
          ...own,
          send: (request: Parameters<typeof own.send>[0]) => {
            fetched.push(request.url);
            return own.send(request);
          },
        };
      },
    };
    const secure = { federation: { enabled: true, insecure: false } };
    a = await startPeer('alpha', { ...place, network }, { settings: secure, scheme: 'https' });
    fetched.length = 0;
  });
  afterEach(async () => {
    await a.node.stop();
    await b.node.stop();
  });

  for (const node_url of [
    'http://beta.example',
    'https://127.0.0.1',
    'https://10.1.2.3:8443',
    'https://[::1]',
    'https://169.254.169.254',
    'https://beta.internal',
    'https://localhost:8765',
  ]) {
    it(`is not requested if it is internal: ${node_url}`, async () => {
      const signed_at = new Date(a.node.clock.nowMs()).toISOString();
      const { body } = await post(a, signDeclaration(b, { target_node_id: a.id, signed_at, node_url }));
      expect(body).to.include({ status: 422, code: 'validation' });
      expect(body.errors[0].path).to.equal('body.node_url');
      expect(fetched).to.deep.equal([]);
      expect(await listed(a)).to.deep.equal([]);
    });
  }

  for (const node_url of [
    'beta.example',
    'ftp://beta.example',
    'https://u:p@beta.example',
    'https://beta.example/?a=1',
  ]) {
    it(`is refused if it is malformed: ${node_url}`, async () => {
      const signed_at = new Date(a.node.clock.nowMs()).toISOString();
      const { body } = await post(a, signDeclaration(b, { target_node_id: a.id, signed_at, node_url }));
      expect(body.errors).to.deep.include({
        path: 'body.node_url',
        message: 'must be an absolute http or https address without user, query and fragment',
      });
    });
  }
});
