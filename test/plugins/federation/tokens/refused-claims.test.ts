import { expect } from 'chai';
import { ServiceError } from '../../../../kernel/plugin-api.ts';
import type { PeerIdentity } from '../../../kit/federation/peer-identity.ts';
import { rejection } from '../../../kit/rejection.ts';
import { NODE_ID, type ServingNode, startServingNode } from '../serving-kit.ts';

const SECOND = 1_000;
const HOUR = 3_600 * SECOND;

describe('a signed peer token', () => {
  let node: ServingNode;
  let peer: PeerIdentity;
  // One node for all cases, because a refused token uses up nothing, not even its nonce.
  before(async () => {
    node = await startServingNode();
    peer = node.addPeer('p');
  });
  after(() => node.stop());

  const codeOf = async (token: string): Promise<string> => {
    const refused = await rejection(node.serving.tokens.accept(token));
    expect(refused).to.be.instanceOf(ServiceError).and.to.include({ status: 401 });
    return String(refused['code']);
  };
  const withClaims = (claims: Record<string, unknown>, header = {}): string => peer.token(NODE_ID, claims, header);

  const refused: readonly (readonly [string, string, (now: number) => Record<string, unknown>])[] = [
    ['no exp', 'invalid_token', () => ({ exp: undefined })],
    ['an exp that is a string', 'invalid_token', (now) => ({ exp: String(now) })],
    ['no iat', 'invalid_token', () => ({ iat: undefined })],
    ['an iat that is null', 'invalid_token', () => ({ iat: null })],
    ['a lifetime of more than an hour', 'invalid_token', (now) => ({ exp: now + HOUR + 1 })],
    ['an exp before its iat', 'invalid_token', (now) => ({ iat: now + 10, exp: now })],
    ['an exp further back than the leeway', 'token_expired', (now) => ({ iat: now - HOUR, exp: now - 30 * SECOND })],
    ['another sub', 'invalid_sub', () => ({ sub: 'svc://other.test' })],
    ['an empty sub', 'invalid_sub', () => ({ sub: '' })],
    ['a sub with another case', 'invalid_sub', () => ({ sub: NODE_ID.toUpperCase() })],
    ['no sub', 'invalid_sub', () => ({ sub: undefined })],
    ['a list of audiences', 'invalid_sub', () => ({ sub: undefined, aud: [NODE_ID] })],
    ['an aud that contradicts its sub', 'invalid_sub', () => ({ aud: 'svc://other.test' })],
    ['an iat beyond the leeway', 'iat_in_future', (now) => ({ iat: now + 31 * SECOND, exp: now + 60 * SECOND })],
    ['an nbf beyond the leeway', 'nbf_in_future', (now) => ({ nbf: now + 31 * SECOND })],
    ['an nbf that is a string', 'invalid_token', () => ({ nbf: 'now' })],
    ['no nonce', 'missing_nonce', () => ({ nonce: undefined })],
    ['a nonce of 7 characters', 'missing_nonce', () => ({ nonce: '1234567' })],
    ['a nonce of 129 characters', 'missing_nonce', () => ({ nonce: 'n'.repeat(129) })],
    ['a nonce that is a number', 'missing_nonce', () => ({ nonce: 12345678 })],
    ['scopes that are a string', 'invalid_token', () => ({ scopes: 'public' })],
    ['scopes that are not names', 'invalid_token', () => ({ scopes: [1] })],
    ['an unknown issuer', 'peer_not_registered', () => ({ iss: 'svc://stranger.test' })],
    ['no issuer', 'invalid_iss', () => ({ iss: undefined })],
    ['an issuer that is not a string', 'invalid_iss', () => ({ iss: 7 })],
    ['this node as its issuer', 'invalid_iss', () => ({ iss: NODE_ID })],
  ];
  for (const [what, code, claims] of refused) {
    it(`with ${what} is refused as ${code}`, async () => {
      expect(await codeOf(withClaims(claims(node.clock.nowMs())))).to.equal(code);
    });
  }

  const HEADERS: readonly (readonly [string, Record<string, unknown>])[] = [
    ['alg none', { alg: 'none' }],
    ['alg None', { alg: 'None' }],
    ['alg HS256', { alg: 'HS256' }],
    ['alg eddsa', { alg: 'eddsa' }],
    ['no alg', { alg: undefined }],
    ['jwk', { jwk: { kty: 'OKP' } }],
    ['jku', { jku: 'https://evil.test/keys' }],
    ['x5u', { x5u: 'https://evil.test/keys' }],
    ['x5c', { x5c: [] }],
    ['crit', { crit: ['exp'] }],
    ['b64', { b64: false }],
    ['a kid that is a path', { kid: '../../x' }],
    ['another typ', { typ: 'at+jwt' }],
  ];
  for (const [what, header] of HEADERS) {
    it(`is refused although it is signed: ${what} in its header`, async () => {
      expect(await codeOf(withClaims({}, header))).to.equal('invalid_token');
    });
  }

  it('is accepted after all refusals of others', async () => {
    expect((await node.serving.tokens.accept(peer.token(NODE_ID))).peering.nodeId).to.equal(peer.nodeId);
  });
});
