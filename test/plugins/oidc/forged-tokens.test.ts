import { expect } from 'chai';
import { encodeBase64Url } from '../../../kernel/internal-api.ts';
import { NodeIdentity } from '../../../plugins/node-info/node-info-api.ts';
import { jsonReply } from '../../kit/oidc/fake-provider.ts';
import { waitUntil } from '../../kit/wait-until.ts';
import { FORGED_TOKENS, goodToken } from './forged-tokens.ts';
import { EXCHANGE, type OidcNode, SUBJECT, startOidcNode } from './oidc-node.ts';

describe('an invalid id token', () => {
  let oidc: OidcNode;
  before(async () => {
    oidc = await startOidcNode();
  });
  after(() => oidc.node.stop());

  let refusals = 0;
  const refuse = async (token: string, detail?: string): Promise<void> => {
    refusals += 1;
    // The clock advances, because an address with many refusals gets delayed replies and few audit entries.
    await oidc.node.clock.advance(7_000);
    const { status, headers, text, body } = await oidc.exchange({ id_token: token });
    expect([status, body?.code], text).to.deep.equal([401, 'authentication']);
    expect(headers['www-authenticate']).to.equal('Bearer');
    if (detail === undefined) expect(body.detail).to.match(/^invalid: /);
    else expect(body.detail).to.equal(detail);
    for (const segment of token.split('.').filter(({ length }) => length > 8)) expect(text).not.to.include(segment);
  };

  it('is tested in many forms, beside valid tokens', async () => {
    expect(FORGED_TOKENS.length).to.be.at.least(60);
    expect(new Set(FORGED_TOKENS.map(({ title }) => title)).size).to.equal(FORGED_TOKENS.length);
    expect((await oidc.exchange({ id_token: goodToken(oidc) })).status).to.equal(200);
    const good: Readonly<Record<string, unknown>>[] = [
      {},
      { aud: 'node-client' },
      { aud: ['fact-memory'] },
      { aud: ['fact-memory', 'other'], azp: 'node-client' },
      { aud: 'fact-memory', azp: 'a-phone' },
      { nonce: 'n', auth_time: 1, acr: '0', amr: ['pwd'], at_hash: 'x' },
      { sub: 's'.repeat(255) },
    ];
    for (const claims of good) expect((await oidc.signIn(claims)).status, JSON.stringify(claims)).to.equal(200);
    const now = Math.floor(oidc.node.clock.nowMs() / 1_000);
    const leeway = { iat: now + 30, nbf: now + 30, exp: now + 31 };
    expect((await oidc.signIn(leeway)).status).to.equal(200);
    expect((await oidc.signIn({ iat: now - 300.5, exp: now - 29.5 })).status).to.equal(200);
    for (const header of [{ typ: undefined }, { typ: 'jwt' }, { x5t: 'thumbprint' }, { kid: undefined }]) {
      const id_token = await oidc.token({}, header);
      expect((await oidc.exchange({ id_token })).status, JSON.stringify(header)).to.equal(200);
    }
  });

  for (const { title, make, detail } of FORGED_TOKENS) {
    it(`gives no key: ${title}`, async () => refuse(await make(oidc), detail));
  }

  it('is also a peer token or an API key of the node: neither gives a key', async () => {
    const part = (value: unknown) => encodeBase64Url(Buffer.from(JSON.stringify(value)));
    // Builds a peer token, signed by the key of the node for the node.
    const input = `${part({ alg: 'EdDSA', typ: 'JWT' })}.${part(oidc.claims())}`;
    const signature = oidc.node.kernel.get(NodeIdentity).sign(Buffer.from(input));
    await refuse(`${input}.${encodeBase64Url(signature)}`);
    await refuse(await oidc.node.addKey());
  });

  it('is refused by every other route, and so is a valid id token', async () => {
    const key = await oidc.token();
    for (const path of ['/v1/me', '/v1/facts', '/v1/auth/keys']) {
      await oidc.node.clock.advance(7_000);
      expect((await oidc.node.request('GET', path, { key })).status, path).to.equal(401);
    }
  });

  it('causes no request to an address in the token', () => {
    expect(new Set(oidc.provider.asked)).to.deep.equal(new Set(['/.well-known/openid-configuration', '/jwks']));
  });

  it('is audited with the route that refused it, but without the token', async () => {
    const key = await oidc.node.addKey({ entityUri: 'agent:ops', permissions: ['admin'] });
    const page = '/v1/auth/audit?event_type=credential_refused&limit=1000';
    const read = async () => {
      const { body, text } = await oidc.node.request('GET', page, { key });
      const ofExchange = body.entries.filter(({ detail }: { detail: { route: string } }) => detail.route === EXCHANGE);
      return { count: ofExchange.length as number, text };
    };
    expect(refusals).to.be.above(FORGED_TOKENS.length);
    await waitUntil('all refusals are recorded', 10_000, async () => (await read()).count >= refusals);
    const { count, text } = await read();
    expect(count).to.equal(refusals);
    expect(text).not.to.match(/eyJ/);
  });

  it('leaves no key and no audit entry of a person', async () => {
    const key = await oidc.node.addKey({ entityUri: 'agent:ops', permissions: ['admin'] });
    const { body } = await oidc.node.request('GET', '/v1/auth/audit?limit=1000', { key });
    const people = new Set(body.entries.map(({ entity_uri }: { entity_uri: string }) => entity_uri));
    expect([...people].filter((entity) => String(entity).startsWith('oidc:'))).to.have.members([
      `oidc:${SUBJECT}`,
      `oidc:${'s'.repeat(255)}`,
    ]);
  });

  it('is also a token whose key is published but not for signatures', async () => {
    const { kid: _, ...publicKey } = oidc.key.jwk;
    const kid = 'listed';
    const hostile: readonly unknown[] = [
      { kty: 'oct', k: 'c2VjcmV0', kid, alg: 'HS256' },
      { ...publicKey, kid, use: 'enc' },
      { ...publicKey, kid, key_ops: ['encrypt'] },
      { ...publicKey, kid, alg: 'RS384' },
      { ...publicKey, kid, d: 'AQAB' },
      { ...publicKey, kid, e: 'AQ' },
      { ...publicKey, kid, e: 'AA'.repeat(2_000) },
      { ...publicKey, kid, n: publicKey.n?.slice(0, 80) },
      { ...publicKey, kid, n: 'A'.repeat(4_000) },
      { ...publicKey, kid: 'other' },
      { ...publicKey, kid: 1 },
      { kty: 'EC', crv: 'P-256', x: 'AQ', y: 'AQ', kid },
      { kty: 'OKP', crv: 'X25519', x: 'A'.repeat(43), kid },
      { kty: '__proto__', kid },
      null,
      'key',
      [],
    ];
    for (const key of hostile) {
      oidc.provider.listKeys(key);
      await oidc.node.clock.advance(30_000);
      const { status, text } = await oidc.exchange({ id_token: await oidc.token({}, { kid }) });
      expect(status, `${JSON.stringify(key)?.slice(0, 80)}: ${text}`).to.equal(401);
    }
    // Among several listed keys with the same id, each one is tried.
    oidc.provider.listKeys(
      ...hostile,
      { ...publicKey, n: `${publicKey.n?.slice(0, -4)}AAAB`, kid },
      { ...publicKey, kid },
    );
    await oidc.node.clock.advance(30_000);
    const { status, text } = await oidc.exchange({ id_token: await oidc.token({}, { kid }) });
    expect(status, text).to.equal(200);
    for (const body of [{}, { keys: {} }, { keys: null }, [], 'x', { keys: Array.from({ length: 101 }, () => ({})) }]) {
      oidc.provider.replies.set('/jwks', () => jsonReply(body));
      await oidc.node.clock.advance(61 * 60_000);
      expect((await oidc.signIn()).status, JSON.stringify(body).slice(0, 40)).to.equal(503);
    }
  });
});
