import { expect } from 'chai';
import type { OutboundReply } from '../../../ports/ports.ts';
import {
  DISCOVERY,
  DISCOVERY_PATH,
  drawProviderKey,
  FAKE_ISSUER,
  jsonReply,
  signToken,
} from '../../kit/oidc/fake-provider.ts';
import { waitUntil } from '../../kit/wait-until.ts';
import { type OidcNode, startOidcNode } from './oidc-node.ts';

const MINUTE_MS = 60_000;
const never = (): Promise<OutboundReply> => new Promise(() => {});

describe('a faulty identity provider', () => {
  let oidc: OidcNode;
  beforeEach(async () => {
    oidc = await startOidcNode();
  });
  afterEach(() => oidc.node.stop());

  const statusOf = async (): Promise<number> => (await oidc.signIn()).status;
  const askedFor = (path: string): number => oidc.provider.asked.filter((asked) => asked === path).length;

  const FAULTS: readonly (readonly [string, string, () => OutboundReply | Promise<OutboundReply>])[] = [
    ['has no discovery document', DISCOVERY_PATH, () => jsonReply({}, 404)],
    ['fails', DISCOVERY_PATH, () => jsonReply({}, 500)],
    [
      'redirects the node',
      DISCOVERY_PATH,
      () => ({ status: 302, headers: { Location: `${FAKE_ISSUER}/jwks` }, body: JSON.stringify(DISCOVERY) }),
    ],
    ['claims to be another issuer', DISCOVERY_PATH, () => jsonReply({ ...DISCOVERY, issuer: 'https://evil.example' })],
    ['claims a similar issuer', DISCOVERY_PATH, () => jsonReply({ ...DISCOVERY, issuer: `${FAKE_ISSUER}/` })],
    ['omits its issuer', DISCOVERY_PATH, () => jsonReply({ ...DISCOVERY, issuer: undefined })],
    ['replies without JSON', DISCOVERY_PATH, () => jsonReply('<html>')],
    ['replies with a list', DISCOVERY_PATH, () => jsonReply([DISCOVERY])],
    [
      'names its issuer twice',
      DISCOVERY_PATH,
      () => jsonReply(JSON.stringify(DISCOVERY).replace('{', '{"issuer":"https://evil.example",')),
    ],
    ['omits the address of its keys', DISCOVERY_PATH, () => jsonReply({ ...DISCOVERY, jwks_uri: undefined })],
    ['gives a key address that is no URL', DISCOVERY_PATH, () => jsonReply({ ...DISCOVERY, jwks_uri: 'jwks' })],
    [
      'gives a key address without https',
      DISCOVERY_PATH,
      () => jsonReply({ ...DISCOVERY, jwks_uri: 'http://169.254.169.254/latest/meta-data' }),
    ],
    ['gives a file as key address', DISCOVERY_PATH, () => jsonReply({ ...DISCOVERY, jwks_uri: 'file:///etc/passwd' })],
    [
      'sends 32 MiB',
      DISCOVERY_PATH,
      () => jsonReply(JSON.stringify({ ...DISCOVERY, filler: 'x'.repeat(32 * 1024 * 1024) })),
    ],
    ['has no key document', '/jwks', () => jsonReply({}, 404)],
    ['fails with its keys', '/jwks', () => jsonReply({}, 503)],
    ['sends 32 MiB of keys', '/jwks', () => jsonReply(`{"keys":["${'x'.repeat(32 * 1024 * 1024)}"]}`)],
  ];
  for (const [fault, path, reply] of FAULTS) {
    it(`gives no key when it ${fault}, and is asked again a moment later`, async () => {
      const good = oidc.provider.replies.get(path);
      oidc.provider.replies.set(path, reply);
      const refused = await oidc.signIn();
      expect([refused.status, refused.body.code], refused.text).to.deep.equal([503, 'unavailable']);
      expect(refused.text).not.to.include('evil').and.not.to.include('hint');
      const asked = oidc.provider.asked.length;
      expect(await statusOf()).to.equal(503);
      expect(oidc.provider.asked.length).to.equal(asked);
      if (good !== undefined) oidc.provider.replies.set(path, good);
      await oidc.node.clock.advance(5_000);
      expect(await statusOf()).to.equal(200);
    });
  }

  it('is told apart from one whose name ends otherwise, and the log shows the remedy', async () => {
    oidc.provider.replies.set(DISCOVERY_PATH, () => jsonReply({ ...DISCOVERY, issuer: `${FAKE_ISSUER}/` }));
    expect(await statusOf()).to.equal(503);
    const hints = oidc.node.logLines.map(({ fields }) => (fields['error'] as { hint?: string } | undefined)?.hint);
    const remedy =
      'exactly as the provider names itself, with or without a slash at its end: SVC_OIDC_ISSUER_URL, --issuer';
    expect(hints).to.include(`spell the issuer ${remedy}`);
  });

  it('is asked once for all waiting sign-ins if it hangs, and delays them only until the timeout', async () => {
    oidc.provider.replies.set(DISCOVERY_PATH, never);
    const waiting = Promise.all(Array.from({ length: 100 }, statusOf));
    // The node serves other requests in the meantime.
    expect((await oidc.node.request('GET', '/v1/me', { key: await oidc.node.addKey() })).status).to.equal(200);
    await waitUntil('the provider is asked', 10_000, () => askedFor(DISCOVERY_PATH) > 0);
    await oidc.node.clock.advance(5_000);
    expect(new Set(await waiting)).to.deep.equal(new Set([503]));
    expect(askedFor(DISCOVERY_PATH)).to.equal(1);
  });

  it('is asked for its keys once for many sign-ins', async () => {
    const statuses = await Promise.all(
      Array.from({ length: 20 }, async (_, n) => (await oidc.signIn({ sub: `person-${n}` })).status),
    );
    expect(new Set(statuses)).to.deep.equal(new Set([200]));
    expect(oidc.provider.asked).to.deep.equal([DISCOVERY_PATH, '/jwks']);
  });

  it('may replace its keys: a new key is fetched at once, and an old key is no longer accepted', async () => {
    expect(await statusOf()).to.equal(200);
    await oidc.node.clock.advance(30_000);
    const second = await drawProviderKey('ES256', 'second');
    oidc.provider.listKeys(second.jwk);
    const id_token = await signToken(second, oidc.claims());
    expect((await oidc.exchange({ id_token })).status).to.equal(200);
    expect(await statusOf()).to.equal(401);
  });

  it('is asked for unknown keys at most every 30 seconds', async () => {
    expect(await statusOf()).to.equal(200);
    const stranger = await drawProviderKey('ES256', 'stranger');
    const tryStranger = async () =>
      (await oidc.exchange({ id_token: await signToken(stranger, oidc.claims()) })).status;
    for (let n = 0; n < 10; n += 1) expect(await tryStranger()).to.equal(401);
    expect(askedFor('/jwks')).to.equal(1);
    await oidc.node.clock.advance(30_000);
    for (let n = 0; n < 10; n += 1) expect(await tryStranger()).to.equal(401);
    expect(askedFor('/jwks')).to.equal(2);
  });

  it('may be unreachable for less than an hour without blocking sign-ins', async () => {
    expect(await statusOf()).to.equal(200);
    const down = () => jsonReply({}, 500);
    oidc.provider.replies.set(DISCOVERY_PATH, down);
    await oidc.node.clock.advance(59 * MINUTE_MS);
    expect(await statusOf()).to.equal(200);
    await oidc.node.clock.advance(MINUTE_MS);
    expect(await statusOf()).to.equal(503);
  });

  it('is asked again for keys that are ten minutes old', async () => {
    expect(await statusOf()).to.equal(200);
    await oidc.node.clock.advance(10 * MINUTE_MS - 1);
    expect(await statusOf()).to.equal(200);
    expect(askedFor('/jwks')).to.equal(1);
    await oidc.node.clock.advance(1);
    expect(await statusOf()).to.equal(200);
    expect(askedFor('/jwks')).to.equal(2);
  });

  const CODE = { code: 'c', code_verifier: 'v'.repeat(43), redirect_uri: 'http://127.0.0.1/callback' };
  const REPLIES: readonly (readonly [string, () => OutboundReply])[] = [
    ['fails', () => jsonReply({}, 500)],
    ['does not know the client of the node', () => jsonReply({ error: 'invalid_client' }, 401)],
    ['gives no id token', () => jsonReply({ access_token: 'a' })],
    ['gives an id token that is not a string', () => jsonReply({ id_token: { alg: 'none' } })],
    ['redirects the node', () => ({ status: 307, headers: { Location: 'https://evil.example' } })],
    ['replies without JSON', () => jsonReply('id_token=x')],
  ];
  for (const [fault, reply] of REPLIES) {
    it(`gives no key for a code when it ${fault}`, async () => {
      oidc.provider.replies.set('/token', reply);
      expect((await oidc.exchange(CODE)).status).to.equal(503);
    });
  }

  it('receives a limited number of codes at a time, and further sign-ins get an error to try again', async () => {
    expect(await statusOf()).to.equal(200);
    oidc.provider.replies.set('/token', never);
    const first = Promise.all(Array.from({ length: 16 }, () => oidc.exchange(CODE)));
    const more = await oidc.exchange(CODE);
    expect([more.status, more.headers['retry-after']]).to.deep.equal([503, '1']);
    expect(await statusOf()).to.equal(200);
    await oidc.node.clock.advance(5_000);
    expect(new Set((await first).map(({ status }) => status))).to.deep.equal(new Set([503]));
    oidc.provider.replies.set('/token', () => jsonReply({ error: 'invalid_grant' }, 400));
    expect((await oidc.exchange(CODE)).status).to.equal(401);
  });

  it('is not asked about text that cannot be a token', async () => {
    expect((await oidc.exchange({ id_token: 'a.b.c' })).status).to.equal(401);
    expect(oidc.provider.asked).to.deep.equal([]);
  });
});
