import { expect } from 'chai';
import { ServiceError } from '../../../../kernel/plugin-api.ts';
import { createPeerIdentity, type PeerIdentity, signedToken } from '../../../kit/federation/peer-identity.ts';
import { rejection } from '../../../kit/rejection.ts';
import { keyOf, NODE_ID, type ServingNode, startServingNode } from '../serving-kit.ts';

const SECOND = 1_000;
const HOUR = 3_600 * SECOND;

describe('a peer token', () => {
  let node: ServingNode;
  let peer: PeerIdentity;
  beforeEach(async () => {
    node = await startServingNode();
    peer = node.addPeer('p');
  });
  afterEach(() => node.stop());

  const codeOf = async (token: string): Promise<string> => {
    const refused = await rejection(node.serving.tokens.accept(token));
    expect(refused).to.be.instanceOf(ServiceError).and.to.include({ status: 401 });
    return String(refused['code']);
  };
  const withClaims = (claims: Record<string, unknown>, header = {}): string => peer.token(NODE_ID, claims, header);

  it('identifies the peer, with the scopes that both declarations grant', async () => {
    const { principal, peering, tokenScopes } = await node.serving.tokens.accept(peer.token(NODE_ID));
    expect(principal).to.deep.include({ kind: 'peer', entityUri: peer.nodeId, tenantId: 'default', keyId: null });
    expect([...principal.permissions]).to.deep.equal([]);
    expect([...principal.allowedScopes]).to.deep.equal(['public']);
    expect(peering.nodeId).to.equal(peer.nodeId);
    expect(tokenScopes).to.equal(undefined);
  });

  it('is accepted by the node that it names', async () => {
    const minted = node.serving.tokens.mint({ nodeId: 'svc://other.test' }, ['public']);
    const [header, claims] = minted.split('.').map((part) => Buffer.from(part, 'base64url').toString());
    expect(JSON.parse(header as string)).to.deep.equal({ alg: 'EdDSA', typ: 'JWT' });
    expect(JSON.parse(claims as string)).to.include({ iss: NODE_ID, sub: 'svc://other.test' });
    expect(JSON.parse(claims as string).exp - JSON.parse(claims as string).iat).to.equal(60 * SECOND);
  });

  it('can restrict the granted scopes but never widen them', async () => {
    const scopesWith = async (scopes: readonly string[]) => [
      ...(await node.serving.tokens.accept(withClaims({ scopes }))).principal.allowedScopes,
    ];
    expect(await scopesWith(['public', 'company', 'local'])).to.deep.equal(['public']);
    expect(await scopesWith(['company'])).to.deep.equal([]);
    expect(await scopesWith(['galaxy', 'public'])).to.deep.equal(['public']);
    expect(await scopesWith([])).to.deep.equal([]);
  });

  it('may use `aud` for `sub`, `jti` for `nonce`, and seconds for milliseconds', async () => {
    const nowS = node.clock.nowMs() / SECOND;
    const token = withClaims({
      sub: undefined,
      aud: NODE_ID,
      nonce: undefined,
      jti: 'nonce-of-12345',
      iat: nowS,
      exp: nowS + 60,
    });
    await node.serving.tokens.accept(token);
    expect(await codeOf(token)).to.equal('nonce_already_seen');
  });

  it('expires a day after its issue, even within the leeway', async () => {
    await node.stop();
    node = await startServingNode({ settings: { federation: { tokenLeewayS: 3_600 } } });
    peer = node.addPeer('p');
    const now = node.clock.nowMs();
    expect(await codeOf(withClaims({ iat: now - 24 * HOUR - 1, exp: now - 24 * HOUR + HOUR - 2 }))).to.equal(
      'token_expired',
    );
  });

  it('is accepted within the clock leeway, early or late', async () => {
    const now = node.clock.nowMs();
    await node.serving.tokens.accept(withClaims({ iat: now + 30 * SECOND, exp: now + 60 * SECOND }));
    await node.serving.tokens.accept(withClaims({ iat: now - 60 * SECOND, exp: now - 30 * SECOND + 1 }));
  });

  it('is malformed unless it has three segments of strict base64url, two of them JSON objects', async () => {
    const token = peer.token(NODE_ID);
    const [header, claims, signature] = token.split('.') as [string, string, string];
    const nextLast = String.fromCharCode(signature.charCodeAt(signature.length - 1) + 1);
    const forms = [
      '',
      'no-token',
      `${header}.${claims}`,
      `${token}.`,
      `${token}.x`,
      `${token}.x.x`,
      `${token}=`,
      `${header}=.${claims}.${signature}`,
      `.${claims}.${signature}`,
      `${header}.${claims}.`,
      `${header}.${claims}.${signature.slice(0, -1)}${nextLast}`,
      signedToken(peer.signer, '[]', { iss: peer.nodeId }),
      signedToken(peer.signer, { alg: 'EdDSA' }, '"text"'),
      signedToken(peer.signer, { alg: 'EdDSA' }, '{"iss":'),
      `${token.slice(0, 40)} ${token.slice(40)}`,
      withClaims({ padding: 'x'.repeat(4_096) }),
    ];
    for (const form of forms) expect(await codeOf(form), form.slice(0, 80)).to.equal('malformed_token');
  });

  it('is malformed when a claim or a member of the header occurs twice', async () => {
    const claims = JSON.stringify({ iss: peer.nodeId, sub: NODE_ID, iat: 1, exp: 2, nonce: 'n'.repeat(9) });
    const twice = `${claims.slice(0, -1)},"sub":"${NODE_ID}"}`;
    expect(await codeOf(signedToken(peer.signer, { alg: 'EdDSA' }, twice))).to.equal('malformed_token');
    expect(await codeOf(signedToken(peer.signer, '{"alg":"EdDSA","alg":"EdDSA"}', claims))).to.equal('malformed_token');
  });

  it('is refused while the peering is not active, before its signature is checked', async () => {
    for (const status of ['pending_verification', 'rejected', 'revoked'] as const) {
      node.addPeer('p', { status, keys: [] });
      expect(await codeOf(peer.token(NODE_ID))).to.equal('peer_not_approved');
    }
  });

  it('must be signed by a key of the peer that has not expired', async () => {
    const next = createPeerIdentity(peer.nodeId, () => node.clock.nowMs(), 'next key');
    expect(await codeOf(next.token(NODE_ID))).to.equal('invalid_signature');
    const now = node.clock.nowMs();
    node.addPeer('p', { keys: [keyOf(next), keyOf(peer, now + HOUR)] });
    await node.serving.tokens.accept(next.token(NODE_ID));
    await node.serving.tokens.accept(peer.token(NODE_ID));
    await node.serving.tokens.accept(peer.token(NODE_ID, {}, { kid: peer.keyId }));
    expect(await codeOf(peer.token(NODE_ID, {}, { kid: next.keyId }))).to.equal('invalid_signature');
    await node.clock.advance(HOUR);
    expect(await codeOf(peer.token(NODE_ID))).to.equal('invalid_signature');
  });

  it('causes a request for new keys of the peer only if its signature is wrong', async () => {
    await codeOf(withClaims({ sub: 'svc://other.test' }));
    expect(node.refreshed).to.deep.equal([]);
    const stranger = createPeerIdentity(peer.nodeId, () => node.clock.nowMs(), 'stranger');
    expect(await codeOf(stranger.token(NODE_ID))).to.equal('invalid_signature');
    expect(node.refreshed).to.deep.equal([peer.nodeId]);
  });

  it('is logged with the reason for its refusal, without its content', async () => {
    await codeOf(withClaims({ sub: 'svc://other.test' }));
    await codeOf(withClaims({ iss: 'svc://stranger.test' }));
    const token = peer.token(NODE_ID);
    await node.serving.tokens.accept(token);
    await codeOf(token);
    expect(node.recorded.map(({ event, peerId, detail }) => [event.id, peerId, detail])).to.deep.equal([
      ['rejected_token', 'peering-with-p', { reason: 'invalid_sub' }],
      ['replay_attempt', 'peering-with-p', { reason: 'nonce_already_seen' }],
    ]);
  });

  it('uses up its nonce only after every other check', async () => {
    const nonce = 'one-nonce-for-all';
    const stranger = createPeerIdentity(peer.nodeId, () => node.clock.nowMs(), 'stranger');
    await codeOf(stranger.token(NODE_ID, { nonce }));
    await codeOf(withClaims({ nonce, sub: 'svc://other.test' }));
    await node.serving.tokens.accept(withClaims({ nonce }));
    expect(await codeOf(withClaims({ nonce }))).to.equal('nonce_already_seen');
  });

  it('may have the same nonce as a token of another peer', async () => {
    const other = node.addPeer('other');
    await node.serving.tokens.accept(withClaims({ nonce: 'shared-nonce' }));
    await node.serving.tokens.accept(other.token(NODE_ID, { nonce: 'shared-nonce' }));
  });
});
