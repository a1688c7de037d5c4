import { expect } from 'chai';
import { createWorld, type FederatedNode, startFederatedNode } from '../../kit/federation/federated-node.ts';
import { createPeerIdentity, type Document } from '../../kit/federation/peer-identity.ts';
import {
  declareBoth,
  federationEvents,
  postDeclaration,
  pull,
  push,
  refusalOf,
} from '../../kit/federation/peering-steps.ts';
import { startTestPeer, type TestPeer } from '../../kit/federation/test-peer.ts';
import { forEachStore } from '../../kit/for-each-store.ts';
import { nextClient, TRUSTS_TEST } from '../../kit/next-client.ts';
import type { TestReply } from '../../kit/test-request.ts';

const SECOND_MS = 1_000;
const HOUR_MS = 3_600_000;

forEachStore('A peer token', () => {
  const world = createWorld();
  const now = (): number => world.clock.nowMs();
  let node: FederatedNode;
  let peer: TestPeer;
  let other: TestPeer;
  const peers: TestPeer[] = [];
  const newPeer = async (host: string): Promise<TestPeer> => {
    const made = await startTestPeer({ ...world, nowMs: now, host });
    peers.push(made);
    return made;
  };
  const ask = (token: string, target = '/v1/federation/facts'): Promise<TestReply> =>
    node.request('GET', target, { key: token, headers: { 'X-Forwarded-For': nextClient() } });
  const asked = (claims: Document, header?: Document): Promise<TestReply> =>
    ask(peer.token(node.nodeId, claims, header));

  before(async () => {
    // The clock advances by hours, but this test must not trigger a pull.
    const env = { SVC_FEDERATION_PULL_INTERVAL_S: '86400' };
    node = await startFederatedNode({ name: 'n', ...world, node: TRUSTS_TEST, env });
    [peer, other] = [await newPeer('p.test'), await newPeer('q.test')];
    await declareBoth(node, peer, { scopes: ['public', 'company'] }, { scopes: ['public', 'company'] });
    await declareBoth(node, other);
  });
  after(async () => {
    await node?.stop();
    for (const made of peers) await made.stop();
  });

  it('allows pull and push, each once', async () => {
    expect((await pull(node, peer)).status).to.equal(200);
    expect((await push(node, peer, [])).status).to.equal(202);
  });

  const refusals: readonly (readonly [
    string,
    (claims: { readonly token: typeof asked }) => Promise<TestReply>,
    string,
  ])[] = [
    ['that is missing', () => node.request('GET', '/v1/federation/facts'), 'peer token required'],
    ['that is no token', () => ask('abc'), 'malformed token'],
    ['of four segments', () => ask(`${peer.token(node.nodeId)}.x`), 'malformed token'],
    ['of an unknown issuer', ({ token }) => token({ iss: 'svc://unknown.test' }), 'peer not registered'],
    ['without an issuer', ({ token }) => token({ iss: undefined }), 'invalid_iss'],
    ['signed by another peer', () => ask(other.token(node.nodeId, { iss: peer.nodeId })), 'invalid_signature'],
    ['that has ended', ({ token }) => token({ iat: now() - HOUR_MS, exp: now() - 31 * SECOND_MS }), 'token_expired'],
    ['for longer than an hour', ({ token }) => token({ exp: now() + HOUR_MS + SECOND_MS }), 'invalid_token'],
    ['without an end', ({ token }) => token({ exp: undefined }), 'invalid_token'],
    ['for another node', ({ token }) => token({ sub: 'svc://third.test' }), 'invalid_sub'],
    ['for no node', ({ token }) => token({ sub: undefined }), 'invalid_sub'],
    ['from the future', ({ token }) => token({ iat: now() + 31 * SECOND_MS }), 'iat_in_future'],
    ['that begins later', ({ token }) => token({ nbf: now() + 31 * SECOND_MS }), 'nbf_in_future'],
    ['without a nonce', ({ token }) => token({ nonce: undefined }), 'missing_nonce'],
    ['with a nonce of seven characters', ({ token }) => token({ nonce: '1234567' }), 'missing_nonce'],
  ];
  for (const [title, send, detail] of refusals) {
    it(`${title} is refused: ${detail}`, async () => {
      const reply = await send({ token: asked });
      expect(refusalOf(reply)).to.deep.equal({ status: 401, code: detail.replaceAll(' ', '_'), detail });
      expect(reply.headers['www-authenticate']).to.match(/^Bearer/);
    });
  }

  it('of a pending or revoked peer is refused', async () => {
    const waiting = await newPeer('waiting.test');
    await postDeclaration(node, waiting.declare(node.nodeId));
    expect(refusalOf(await pull(node, waiting))).to.deep.include({ status: 401, code: 'peer_not_approved' });
  });

  it('is accepted within the leeway, in seconds, and with the alternative names of its claims', async () => {
    const seconds = Math.floor(now() / 1_000);
    const good: readonly Document[] = [
      { iat: now() - 60 * SECOND_MS, exp: now() - 29 * SECOND_MS },
      { iat: now() + 29 * SECOND_MS },
      { iat: seconds, exp: seconds + 60 },
      { sub: undefined, aud: node.nodeId },
      { nonce: undefined, jti: peer.unique() },
      { nbf: now() - SECOND_MS },
      { exp: now() + HOUR_MS },
      { nonce: 'eight-ch' },
      { nonce: 'n'.repeat(128) },
      { something: 'else' },
    ];
    for (const claims of good) expect((await asked(claims)).status, JSON.stringify(claims)).to.equal(200);
  });

  it('is accepted once, like its nonce, and the repetition is audited (I15)', async () => {
    const token = peer.token(node.nodeId);
    expect((await ask(token)).status).to.equal(200);
    const replayed = await ask(token);
    expect(refusalOf(replayed)).to.include({ status: 401, code: 'nonce_already_seen', detail: 'nonce_already_seen' });
    const nonce = peer.unique();
    expect((await asked({ nonce })).status).to.equal(200);
    expect((await asked({ nonce, exp: now() + 2 * SECOND_MS })).body.code).to.equal('nonce_already_seen');
    // A nonce of another issuer is a different nonce.
    expect((await ask(other.token(node.nodeId, { nonce }))).status).to.equal(200);
    expect(await federationEvents(node, 'replay_attempt')).to.have.length(2);
  });

  it('uses up its nonce only when it is accepted', async () => {
    const nonce = peer.unique();
    const stranger = createPeerIdentity(peer.nodeId, now, 'some other key');
    expect((await ask(stranger.token(node.nodeId, { nonce }))).body.code).to.equal('invalid_signature');
    expect((await asked({ nonce })).status).to.equal(200);
  });

  it('stays refused after its use until it has expired (I15)', async () => {
    const token = peer.token(node.nodeId, { exp: now() + HOUR_MS });
    expect((await ask(token)).status).to.equal(200);
    for (const minutes of [6, 30, 24]) {
      await world.clock.advance(minutes * 60 * SECOND_MS - SECOND_MS);
      expect((await ask(token)).status).to.equal(401);
    }
    await world.clock.advance(2 * 60 * SECOND_MS);
    expect((await ask(token)).body.code).to.equal('token_expired');
  });

  it('narrows the rights of its peer, and cannot widen them', async () => {
    expect((await pull(node, peer, 'scope=company', { scopes: ['company'] })).status).to.equal(200);
    expect(refusalOf(await pull(node, peer, 'scope=company', { scopes: ['public'] }))).to.deep.equal({
      status: 403,
      code: 'scope_not_permitted',
      detail: 'scope not permitted for this peer',
    });
    expect((await pull(node, other, 'scope=company', { scopes: ['company', 'public'] })).status).to.equal(403);
    expect(refusalOf(await pull(node, other, '', { scopes: ['company'] }))).to.deep.equal({
      status: 403,
      code: 'no_permitted_scopes',
      detail: 'no permitted scopes',
    });
    expect((await pull(node, peer, '', { scopes: [] })).body.code).to.equal('no_permitted_scopes');
  });

  it('is valid on no other route, and no other credential is valid for pull and push', async () => {
    for (const target of [
      '/v1/facts',
      '/v1/me',
      '/v1/federation/peers',
      '/v1/federation/audit',
      '/v1/recall?query=x',
    ]) {
      expect((await ask(peer.token(node.nodeId), target)).status, target).to.equal(401);
    }
    const body = { facts: [] };
    expect((await ask(node.key)).status).to.equal(401);
    expect((await node.request('POST', '/v1/federation/facts/push', { key: node.key, body })).status).to.equal(401);
  });
});
