import { expect } from 'chai';
import { signInByBrowser } from '../../../plugins/oidc/sign-in-by-browser.ts';
import { signInByDevice } from '../../../plugins/oidc/sign-in-by-device.ts';
import type { InboundReply, OutboundRequest } from '../../../ports/ports.ts';
import { createLoopbackNetwork } from '../../fakes/loopback-network.ts';
import { createManualClock } from '../../fakes/manual-clock.ts';
import { createSeededRandom } from '../../fakes/seeded-random.ts';
import { FAKE_ISSUER } from '../../kit/oidc/fake-provider.ts';
import { createTestRequest } from '../../kit/test-request.ts';

const SIGN_IN = { issuer: FAKE_ISSUER, clientId: 'client' };
const HERE = 'http://127.0.0.1:4711';

const settled = async <T>(work: Promise<T>): Promise<T | Error> => work.catch((error: Error) => error);

describe('a sign-in with a device code', () => {
  const DEVICE = {
    device_code: 'd',
    user_code: 'ABCD-EFGH',
    verification_uri: 'https://idp.example/device',
    interval: 2,
  };

  /** Signs in at a fake provider with these replies, first to the device request and then to each poll. */
  const signIn = async (device: object, polls: readonly (readonly [status: number, body: object])[]) => {
    const clock = createManualClock();
    const lines: string[] = [];
    const asked: { atMs: number; form: Record<string, string> }[] = [];
    const replies: (readonly [number, object])[] = [[200, device], ...polls];
    const send = async ({ body }: OutboundRequest): Promise<InboundReply> => {
      asked.push({ atMs: clock.monotonicMs(), form: Object.fromEntries(new URLSearchParams(String(body))) });
      const [status, reply] = replies.shift() ?? [400, { error: 'authorization_pending' }];
      return { status, header: () => undefined, body: Buffer.from(JSON.stringify(reply)) };
    };
    const flow = {
      transport: { send },
      clock,
      signIn: SIGN_IN,
      deviceEndpoint: `${FAKE_ISSUER}/device`,
      tokenEndpoint: `${FAKE_ISSUER}/token`,
      scope: 'openid',
      nonce: 'n',
      show: (line: string) => void lines.push(line),
    };
    let isDone = false;
    const result = settled(signInByDevice(flow)).finally(() => {
      isDone = true;
    });
    const turn = () => new Promise((resolve) => setImmediate(resolve));
    for (let step = 0; !isDone && step < 3_000; step += 1) {
      await turn();
      await clock.advance(1_000);
    }
    return { result: await result, lines, asked };
  };
  const PENDING = [400, { error: 'authorization_pending' }] as const;
  const messageOf = (result: string | Error) => (result instanceof Error ? result.message : result);

  it('shows instructions, and polls no more often than the provider allows', async () => {
    const polls = [PENDING, [400, { error: 'slow_down' }], PENDING, [200, { id_token: 'token' }]] as const;
    const { result, lines, asked } = await signIn(DEVICE, polls);
    expect(result).to.equal('token');
    expect(lines).to.deep.equal(['Open https://idp.example/device in a browser, and enter the code ABCD-EFGH']);
    expect(asked.map(({ atMs }) => atMs)).to.deep.equal([0, 2_000, 4_000, 11_000, 18_000]);
    expect(asked[0]?.form).to.deep.equal({ client_id: 'client', scope: 'openid', nonce: 'n' });
    expect(asked[1]?.form).to.deep.equal({
      grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
      client_id: 'client',
      device_code: 'd',
    });
  });

  it('ends when the user refuses, the time is over, or the provider fails', async () => {
    const end = async (error: string) => messageOf((await signIn(DEVICE, [PENDING, [400, { error }]])).result);
    expect(await end('access_denied')).to.equal('the sign-in was refused');
    expect(await end('expired_token')).to.equal('the sign-in took too long: try again');
    expect(await end('invalid_grant')).to.equal('the identity provider broke the sign-in off');
    const short = await signIn({ ...DEVICE, expires_in: 10 }, []);
    expect(messageOf(short.result)).to.equal('the sign-in took too long: try again');
    expect(short.asked).to.have.lengthOf(1 + 5);
    const endless = await signIn({ ...DEVICE, expires_in: 1e9, interval: 1e9 }, []);
    expect(messageOf(endless.result)).to.equal('the sign-in took too long: try again');
    expect(endless.asked).to.have.lengthOf(1 + 30);
  });

  it('prints no control characters for the terminal', async () => {
    for (const strange of [
      { user_code: '\u001b[2J' },
      { verification_uri: 'https://idp.example/\u0007' },
      { verification_uri: 'javascript:alert(1)' },
      { user_code: 5 },
      { device_code: undefined },
    ]) {
      const { result, lines } = await signIn({ ...DEVICE, ...strange }, []);
      expect(messageOf(result)).to.equal('the identity provider takes no sign-in from a device');
      expect(lines).to.deep.equal([]);
    }
  });
});

describe('a sign-in with a browser', () => {
  const begin = async () => {
    const network = createLoopbackNetwork();
    const clock = createManualClock();
    const lines: string[] = [];
    const result = settled(
      signInByBrowser({
        transport: network.transport(HERE),
        clock,
        random: createSeededRandom(),
        signIn: SIGN_IN,
        authorizationEndpoint: `${FAKE_ISSUER}/auth?tenant=1`,
        scope: 'openid email',
        nonce: 'n',
        show: (line) => void lines.push(line),
      }),
    );
    await new Promise((resolve) => setImmediate(resolve));
    const address = new URL(lines[0]?.split('\n')[1] ?? '');
    const request = createTestRequest(network, HERE);
    const call = async (query: Readonly<Record<string, string>>) =>
      (await request('GET', `/callback?${new URLSearchParams(query)}`)).status;
    return { result, clock, address, call, state: String(address.searchParams.get('state')) };
  };

  it('requests a code that only the same process can redeem', async () => {
    const { result, address, call, state } = await begin();
    const asked = Object.fromEntries(address.searchParams);
    expect(address.origin + address.pathname).to.equal(`${FAKE_ISSUER}/auth`);
    expect(asked).to.include({
      tenant: '1',
      response_type: 'code',
      client_id: 'client',
      redirect_uri: `${HERE}/callback`,
      scope: 'openid email',
      nonce: 'n',
      code_challenge_method: 'S256',
    });
    expect(await call({ code: 'code-1', state, iss: FAKE_ISSUER })).to.equal(200);
    const grant = await result;
    if (grant instanceof Error) throw grant;
    expect(grant).to.include({ code: 'code-1', redirectUri: `${HERE}/callback` });
    expect(grant.codeVerifier).to.match(/^[A-Za-z0-9_-]{43}$/);
    const { createHash } = await import('node:crypto');
    expect(createHash('sha256').update(grant.codeVerifier).digest('base64url')).to.equal(asked['code_challenge']);
    expect(state).not.to.equal(grant.codeVerifier);
  });

  it('is not ended by a request of a stranger', async () => {
    const { result, call, state } = await begin();
    expect(await call({ code: 'evil' })).to.equal(400);
    expect(await call({ code: 'evil', state: `${state}x` })).to.equal(400);
    expect(await call({ error: 'access_denied', state: '' })).to.equal(400);
    expect(await call({ code: 'good', state })).to.equal(200);
    expect(await result).to.include({ code: 'good' });
  });

  it('rejects a code from another provider', async () => {
    const { result, call, state } = await begin();
    expect(await call({ code: 'code', state, iss: 'https://evil.example' })).to.equal(400);
    expect(await result).to.include({ code: 'authentication' });
  });

  it('ends when the user refuses or does nothing', async () => {
    const refused = await begin();
    expect(await refused.call({ error: 'access_denied', state: refused.state })).to.equal(400);
    expect(await refused.result).to.include({ message: 'the sign-in was refused: try again' });
    const idle = await begin();
    await idle.clock.advance(300_000);
    expect(await idle.result).to.include({ message: 'the sign-in took too long: try again' });
  });
});
