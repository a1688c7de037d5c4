import { expect } from 'chai';
import { comesTrue } from '../../kit/comes-true.ts';
import { createWorld, type FederatedNode, startFederatedNode } from '../../kit/federation/federated-node.ts';
import { createPeerIdentity, type Document } from '../../kit/federation/peer-identity.ts';
import { declareBoth, federationEvents, postDeclaration, pull, refusalOf } from '../../kit/federation/peering-steps.ts';
import { jsonAnswer, startTestPeer, type TestPeer } from '../../kit/federation/test-peer.ts';
import { forEachStore } from '../../kit/for-each-store.ts';

const HOUR_MS = 3_600_000;

forEachStore('A declaration of a peer', () => {
  const world = createWorld();
  const { clock, network } = world;
  let node: FederatedNode;
  const peers: TestPeer[] = [];
  const newPeer = async (): Promise<TestPeer> => {
    const peer = await startTestPeer({ network, nowMs: () => clock.nowMs(), host: `p${peers.length}.test` });
    peers.push(peer);
    return peer;
  };
  const rowOf = async (peer: { readonly nodeId: string }): Promise<Document | undefined> =>
    (await node.get('/v1/federation/peers')).body.peers.find(
      ({ node_id }: { readonly node_id: string }) => node_id === peer.nodeId,
    );
  const at = (afterMs: number): string => new Date(clock.nowMs() + afterMs).toISOString();

  before(async () => {
    node = await startFederatedNode({ name: 'n', ...world });
  });
  after(async () => {
    await node?.stop();
    for (const peer of peers) await peer.stop();
  });

  it('is verified with the metadata of the peer, and is pending until this node declares too', async () => {
    const peer = await newPeer();
    const first = await postDeclaration(node, peer.declare(node.nodeId));
    expect(first.status, first.text).to.equal(201);
    expect(first.body).to.include({ status: 'pending_verification' });
    expect(first.body.verified_at).to.be.a('string');
    expect(peer.hits).to.deep.equal(['/.well-known/svc']);
    expect((await pull(node, peer)).body.code).to.equal('peer_not_approved');
    const second = await postDeclaration(node, node.identity.declare(peer.nodeId));
    expect(second.status).to.equal(201);
    expect(second.body).to.include({ status: 'active', peer_id: first.body.peer_id });
    expect((await pull(node, peer)).status).to.equal(200);
    const [approved] = await federationEvents(node, 'peer_approved');
    expect(approved).to.include({ peer_id: first.body.peer_id });
  });

  it('is listed with the declarations of both sides, and with a fingerprint of the pinned key', async () => {
    const peer = await newPeer();
    const peerId = await declareBoth(node, peer, { scopes: ['public', 'company'] }, { direction: 'outbound' });
    const row = await rowOf(peer);
    expect(row).to.deep.include({
      peer_id: peerId,
      node_url: peer.url,
      status: 'active',
      allowed_scopes: ['public'],
      direction: 'outbound',
    });
    expect(row?.['own_declaration']).to.deep.include({ direction: 'bidirectional' });
    expect((row?.['own_declaration'] as Document | undefined)?.['allowed_scopes']).to.have.members([
      'public',
      'company',
    ]);
    expect(row?.['public_key_fingerprint']).to.match(/^sha256:[0-9a-f]{64}$/);
    for (const name of ['established_at', 'signed_at', 'created_at']) expect(row?.[name], name).to.be.a('string');
  });

  it('may have any member order, white space and escapes, because its canonical form is signed', async () => {
    const peer = await newPeer();
    const reversed = Object.entries(peer.declare(node.nodeId)).reverse();
    const text = JSON.stringify(Object.fromEntries(reversed), null, 3).replace('svc', '\\u0073vc');
    expect((await postDeclaration(node, text)).status).to.equal(201);
  });

  it('may name its node by the alias, but not by both names', async () => {
    const peer = await newPeer();
    const { declaring_node_id: node_id, declaration_sig: _, ...rest } = peer.declare(node.nodeId);
    expect(
      (await postDeclaration(node, peer.signed({ ...rest, node_id, declaring_node_id: node_id }))).status,
    ).to.equal(422);
    const { declaration_sig: __, ...aliased } = rest as Record<string, unknown>;
    expect((await postDeclaration(node, peer.signed({ ...aliased, node_id }))).status).to.equal(201);
  });

  it('without scopes covers public facts, and never local and team facts', async () => {
    const [bare, wide] = [await newPeer(), await newPeer()];
    const { allowed_scopes: _, declaration_sig: __, ...rest } = bare.declare(node.nodeId);
    expect((await postDeclaration(node, bare.signed(rest))).status).to.equal(201);
    expect((await rowOf(bare))?.['allowed_scopes']).to.deep.equal(['public']);
    await declareBoth(node, wide, { scopes: ['local', 'team', 'public'] }, { scopes: ['local', 'team', 'public'] });
    expect((await rowOf(wide))?.['allowed_scopes']).to.deep.equal(['public']);
  });

  describe('is refused, and creates no peer,', () => {
    const cases: readonly (readonly [string, (peer: TestPeer) => unknown, string])[] = [
      ['when it is empty', () => ({}), 'validation'],
      ['when it is about another node', (peer) => peer.declare('svc://third.test'), 'validation'],
      ['when it is about its own node', (peer) => peer.declare(peer.nodeId), 'validation'],
      [
        'with a scope that does not exist',
        (peer) => peer.declare(node.nodeId, { allowed_scopes: ['all'] }),
        'validation',
      ],
      ['with a direction that does not exist', (peer) => peer.declare(node.nodeId, { direction: 'up' }), 'validation'],
      ['with an unknown member that is signed', (peer) => peer.declare(node.nodeId, { extra: 1 }), 'validation'],
      ['with an unknown member that is not', (peer) => ({ ...peer.declare(node.nodeId), extra: 1 }), 'validation'],
      ['without a date', (peer) => withoutMember(peer.declare(node.nodeId), 'signed_at'), 'validation'],
      ['without a signature', (peer) => withoutMember(peer.declare(node.nodeId), 'declaration_sig'), 'validation'],
      [
        'when it is older than a day',
        (peer) => peer.declare(node.nodeId, { signed_at: at(-24 * HOUR_MS - 1_000) }),
        'declaration_expired',
      ],
      [
        'when it is from the future',
        (peer) => peer.declare(node.nodeId, { signed_at: at(301_000) }),
        'declaration_expired',
      ],
      [
        'when a member was changed',
        (peer) => ({ ...peer.declare(node.nodeId), allowed_scopes: ['public', 'company'] }),
        'invalid_signature',
      ],
      [
        'when another key has signed it',
        (peer) => stranger.signed(withoutMember(peer.declare(node.nodeId), 'declaration_sig')),
        'invalid_signature',
      ],
      [
        'when it names another key than the metadata',
        (peer) => peer.declare(node.nodeId, { federation_pubkey: stranger.publicKey }),
        'invalid_signature',
      ],
      [
        'in our name, signed by the peer',
        (peer) => peer.declare(peer.nodeId, { declaring_node_id: node.nodeId }),
        'invalid_signature',
      ],
      ['in our name, without a target', (peer) => withoutTarget(peer), 'validation'],
    ];
    const stranger = createPeerIdentity('svc://stranger.test', () => clock.nowMs());
    const withoutMember = (document: Document, name: string): Document =>
      Object.fromEntries(Object.entries(document).filter(([member]) => member !== name));
    const withoutTarget = (peer: TestPeer): Document => {
      const document = node.identity.declare(peer.nodeId);
      return node.identity.signed(withoutMember(withoutMember(document, 'target_node_id'), 'declaration_sig'));
    };
    for (const [title, declare, code] of cases) {
      it(`${title}`, async () => {
        const peer = await newPeer();
        const failed = (await federationEvents(node, 'peer_approval_failed')).length;
        expect(refusalOf(await postDeclaration(node, declare(peer)))).to.include({ status: 422, code });
        expect(await rowOf(peer)).to.equal(undefined);
        const more = (await federationEvents(node, 'peer_approval_failed')).length - failed;
        if (code === 'invalid_signature') expect(more).to.equal(1);
      });
    }

    it('when a member occurs twice', async () => {
      const peer = await newPeer();
      const text = JSON.stringify(peer.declare(node.nodeId)).replace('{', '{"allowed_scopes":["company"],');
      expect((await postDeclaration(node, text)).status).to.equal(400);
      expect(await rowOf(peer)).to.equal(undefined);
    });

    it('when the metadata belongs to another node, or has a key of low order', async () => {
      const lowOrder = Buffer.concat([Buffer.from([1]), Buffer.alloc(31)]).toString('base64url');
      for (const wrong of [
        { node_id: 'svc://other.test' },
        { federation_pubkey: lowOrder },
        { federation_pubkey: 7 },
      ]) {
        const peer = await newPeer();
        peer.metadata = { ...peer.metadata, federation_keys: undefined, ...wrong };
        const reply = await postDeclaration(node, peer.declare(node.nodeId));
        expect(refusalOf(reply), JSON.stringify(wrong)).to.include({ status: 422, code: 'invalid_signature' });
        expect(await rowOf(peer)).to.equal(undefined);
      }
    });

    it('from a key without the federate permission', async () => {
      const peer = await newPeer();
      const key = await node.addKey({ permissions: ['read', 'write', 'admin'] });
      const reply = await node.request('POST', '/v1/federation/peers', { key, body: peer.declare(node.nodeId) });
      expect(reply.status).to.equal(403);
    });
  });

  it('is stored while the peer is unreachable, and verified later', async () => {
    const peer = await newPeer();
    peer.answerMetadata = () => jsonAnswer({}, 503);
    await postDeclaration(node, node.identity.declare(peer.nodeId));
    const reply = await postDeclaration(node, peer.declare(node.nodeId));
    expect(reply.status, reply.text).to.equal(201);
    expect(reply.body).to.include({ status: 'pending_verification', verified_at: null });
    peer.answerMetadata = () => jsonAnswer(peer.metadata);
    await comesTrue(async () => {
      await clock.advance(30_000);
      return (await rowOf(peer))?.['status'] === 'active';
    });
    expect((await pull(node, peer)).status).to.equal(200);
  });

  it('that is pending is rejected when the peer turns out to be another node', async () => {
    const peer = await newPeer();
    peer.answerMetadata = () => jsonAnswer({}, 503);
    await postDeclaration(node, node.identity.declare(peer.nodeId));
    await postDeclaration(node, peer.declare(node.nodeId));
    peer.answerMetadata = () => jsonAnswer({ ...peer.metadata, node_id: 'svc://other.test' });
    await comesTrue(async () => {
      await clock.advance(30_000);
      return (await rowOf(peer))?.['status'] === 'rejected';
    });
    expect((await pull(node, peer)).status).to.equal(401);
  });

  it('replaces an older one at once, and is refused when it is not newer', async () => {
    const peer = await newPeer();
    const wide = ['public', 'company'];
    await declareBoth(node, peer, { scopes: wide }, { scopes: wide });
    await clock.advance(1_000);
    const older = peer.declare(node.nodeId);
    await clock.advance(1_000);
    const newer = peer.declare(node.nodeId, { allowed_scopes: ['public'] });
    expect((await postDeclaration(node, newer)).status).to.equal(201);
    expect((await rowOf(peer))?.['allowed_scopes']).to.deep.equal(['public']);
    expect((await pull(node, peer, 'scope=company')).status).to.equal(403);
    for (const replayed of [older, newer]) {
      expect(refusalOf(await postDeclaration(node, replayed))).to.include({ status: 409, code: 'stale_declaration' });
    }
    expect((await rowOf(peer))?.['signed_at']).to.equal(newer['signed_at']);
  });

  it('with another key than the pinned one is refused', async () => {
    const peer = await newPeer();
    await declareBoth(node, peer);
    await clock.advance(1_000);
    const other = createPeerIdentity(peer.nodeId, () => clock.nowMs(), 'another key');
    peer.metadata = { ...peer.metadata, federation_pubkey: other.publicKey, federation_keys: undefined };
    const reply = await postDeclaration(node, other.declare(node.nodeId));
    expect(refusalOf(reply)).to.include({ status: 409, code: 'key_mismatch' });
    expect((await pull(node, peer)).status).to.equal(200);
    expect((await pull(node, other)).body.code).to.equal('invalid_signature');
  });
});
