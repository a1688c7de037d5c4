import { expect } from 'chai';
import { createClientAddress } from '../../../kernel/http/client-address.ts';
import { RefusalDelays } from '../../../kernel/http/refusal-delays.ts';
import type { InboundRequest, OutboundReply } from '../../../ports/ports.ts';
import { createManualClock } from '../../fakes/manual-clock.ts';
import { serveRoutes, TOKENS } from '../../kit/serve-routes.ts';

const FREE = 20;
const LONGEST_MS = 2_000;
const PER_ADDRESS = 8;
const IN_ALL = 256;
const FORGET_ALL_MS = 150_000;

interface Client {
  readonly address?: string;
  readonly token?: string;
  readonly path?: string;
  readonly method?: string;
  readonly forwardedFor?: string;
  readonly signal?: AbortSignal;
}

const settleTurns = async (): Promise<void> => {
  for (let turn = 0; turn < 10; turn += 1) await new Promise((resolve) => setImmediate(resolve));
};

/** Starts the HTTP layer of the kernel with a stopped clock, so that a delayed answer never arrives. */
const startNode = (trustedProxies: readonly string[] = []) => {
  const { serveOptions, clock } = serveRoutes(
    [
      {
        method: 'GET',
        path: '/v1/x',
        summary: 'x',
        access: { permission: 'read' },
        handle: () => ({ status: 200, body: {} }),
      },
      { method: 'GET', path: '/open', summary: 'x', access: 'open', handle: () => ({ status: 200, body: {} }) },
    ],
    { trustedProxies },
  );
  const send = (client: Client = {}): { readonly reply: Promise<OutboundReply>; status(): number | 'waiting' } => {
    const request = inbound(client);
    const endpoint = serveOptions.endpoints.find(
      ({ method, path }) => method === request.method && path === request.path,
    );
    const reply = endpoint === undefined ? serveOptions.unmatched(request, []) : endpoint.handle(request);
    let status: number | 'waiting' = 'waiting';
    void reply.then((arrived) => {
      status = arrived.status;
    });
    return { reply, status: () => status };
  };
  const ask = async (client: Client = {}): Promise<number | 'waiting'> => {
    const { status } = send(client);
    await settleTurns();
    return status();
  };
  /** Uses up the refusals that are sent without delay. */
  const useUp = async (client: Client): Promise<void> => {
    for (let count = 0; count < FREE; count += 1) expect(await ask(client), `refusal ${count}`).to.equal(401);
  };
  return { clock, send, ask, useUp };
};

const inbound = ({
  address = '203.0.113.9',
  token,
  path = '/v1/x',
  method = 'GET',
  forwardedFor,
  signal,
}: Client): InboundRequest => {
  const headers = new Map<string, string>();
  if (token !== undefined) headers.set('authorization', `Bearer ${token}`);
  if (forwardedFor !== undefined) headers.set('x-forwarded-for', forwardedFor);
  return {
    method,
    path,
    query: '',
    pathParameters: {},
    header: (name) => headers.get(name),
    headerCount: (name) => (headers.has(name) ? 1 : 0),
    body: async () => new Uint8Array(),
    remoteAddress: address,
    signal: signal ?? new AbortController().signal,
  };
};

const GUESS = { token: 'a-guess' };
const GOOD = { token: TOKENS.reader };

describe('An attacker guesses keys, one after another (I21)', () => {
  it('waits longer and longer for each refusal, up to two seconds, and gets the same refusal as before', async () => {
    const { clock, send, useUp } = startNode();
    await useUp(GUESS);
    for (const delayMs of [100, 200, 400, 800, 1_600, LONGEST_MS, LONGEST_MS]) {
      const guess = send(GUESS);
      await settleTurns();
      await clock.advance(delayMs - 1);
      expect(guess.status(), `after ${delayMs - 1} ms`).to.equal('waiting');
      await clock.advance(1);
      await settleTurns();
      expect(guess.status(), `after ${delayMs} ms`).to.equal(401);
      const { headers, body } = await guess.reply;
      expect(headers).to.include({ 'WWW-Authenticate': 'Bearer' });
      expect(JSON.parse(String(body)).code).to.equal('authentication');
    }
    expect(clock.pending).to.equal(0);
  });

  it('waits equally long on every path, so it cannot tell which paths exist', async () => {
    const { ask, useUp } = startNode();
    await useUp(GUESS);
    for (const [method, path] of [
      ['GET', '/v1/x'],
      ['DELETE', '/v1/x'],
      ['GET', '/v1/unknown'],
    ] as const) {
      expect(await ask({ ...GUESS, method, path }), `${method} ${path}`).to.equal('waiting');
    }
  });

  it('does not delay a caller with a valid key, from the same address and at the same time', async () => {
    const { ask, useUp } = startNode();
    await useUp(GUESS);
    for (let count = 0; count < 3 * PER_ADDRESS; count += 1) {
      await ask(GUESS);
      expect(await ask(GOOD)).to.equal(200);
      expect(await ask({ path: '/open' })).to.equal(200);
    }
  });

  it('delays no caller at another address, and no client that sends no key', async () => {
    const { ask, useUp } = startNode();
    for (let count = 0; count < 3 * FREE; count += 1) expect(await ask()).to.equal(401);
    await useUp(GUESS);
    expect(await ask(GUESS)).to.equal('waiting');
    expect(await ask({ ...GUESS, address: '203.0.113.10' })).to.equal(401);
    expect(await ask()).to.equal(401);
  });

  it('counts as one client with all addresses of one IPv6 network', async () => {
    const { ask } = startNode();
    for (let count = 0; count < FREE; count += 1) {
      expect(await ask({ ...GUESS, address: `2001:db8:0:7::${count.toString(16)}` })).to.equal(401);
    }
    expect(await ask({ ...GUESS, address: '2001:db8:0:7:ffff:1:2:3' })).to.equal('waiting');
    expect(await ask({ ...GUESS, address: '2001:db8:0:8::1' })).to.equal(401);
  });

  it('is no longer delayed after a while; occasional failures are never delayed', async () => {
    const { clock, ask, useUp } = startNode();
    await useUp(GUESS);
    expect(await ask(GUESS)).to.equal('waiting');
    await clock.advance(FORGET_ALL_MS);
    await useUp(GUESS);
    await clock.advance(FORGET_ALL_MS);
    for (let count = 0; count < 3 * FREE; count += 1) {
      expect(await ask(GUESS)).to.equal(401);
      await clock.advance(5_000);
    }
  });
});

describe('An attacker guesses keys on many connections to exhaust the node (I21)', () => {
  it('gets a limited number of waiting connections; further ones are refused at once, without a timer', async () => {
    const { clock, ask, useUp } = startNode();
    await useUp(GUESS);
    for (let count = 0; count < PER_ADDRESS; count += 1) expect(await ask(GUESS)).to.equal('waiting');
    for (let count = 0; count < 100; count += 1) expect(await ask(GUESS)).to.equal(401);
    expect(clock.pending).to.equal(PER_ADDRESS);
    await clock.advance(LONGEST_MS);
    expect(clock.pending).to.equal(0);
    expect(await ask(GUESS)).to.equal('waiting');
  });

  it('gets no more waiting connections by using more addresses', async () => {
    const { clock, ask, useUp } = startNode();
    for (let host = 0; host < IN_ALL / PER_ADDRESS + 5; host += 1) {
      const address = `198.51.100.${host}`;
      await useUp({ ...GUESS, address });
      for (let count = 0; count < PER_ADDRESS; count += 1) await ask({ ...GUESS, address });
    }
    expect(clock.pending).to.equal(IN_ALL);
    expect(await ask({ ...GUESS, address: '198.51.100.255' })).to.equal(401);
    expect(await ask(GOOD)).to.equal(200);
  }).timeout(300_000);

  it('releases its waiting slot when its connection closes', async () => {
    const { clock, ask, useUp, send } = startNode();
    await useUp(GUESS);
    const leave = new AbortController();
    for (let count = 0; count < PER_ADDRESS; count += 1) send({ ...GUESS, signal: leave.signal });
    await settleTurns();
    expect([clock.pending, await ask(GUESS)]).to.deep.equal([PER_ADDRESS, 401]);
    leave.abort();
    await settleTurns();
    expect(clock.pending).to.equal(0);
    expect(await ask(GUESS)).to.equal('waiting');
    const gone = AbortSignal.abort();
    expect(await ask({ ...GUESS, signal: gone })).to.equal(401);
  });

  it('cannot fill the memory with addresses: the node remembers only the last few thousand', async () => {
    const clock = createManualClock();
    const delays = new RefusalDelays(clock);
    const never = () => new AbortController().signal;
    const first = '203.0.113.9';
    for (let count = 0; count < FREE; count += 1) await delays.hold(first, never);
    for (let host = 0; host < 5_000; host += 1) await delays.hold(`10.0.${host >> 8}.${host & 0xff}`, never);
    // The address was evicted, so its next refusal is sent at once.
    await delays.hold(first, never);
    expect(clock.pending).to.equal(0);
  });
});

describe('An attacker guesses keys through a proxy, or forges proxy headers (I21)', () => {
  const clientOf = (trusted: readonly string[], remoteAddress: string, forwardedFor?: string): string =>
    createClientAddress(trusted)(
      inbound({ address: remoteAddress, ...(forwardedFor === undefined ? {} : { forwardedFor }) }),
    );

  it('is counted separately from the other clients of a trusted proxy', async () => {
    const { ask, useUp } = startNode(['10.0.0.0/8']);
    const guesser = { ...GUESS, address: '10.1.2.3', forwardedFor: '203.0.113.66' };
    await useUp(guesser);
    expect(await ask(guesser)).to.equal('waiting');
    expect(await ask({ ...guesser, address: '10.9.9.9' })).to.equal('waiting');
    expect(await ask({ ...guesser, forwardedFor: '203.0.113.67' })).to.equal(401);
    expect(await ask({ ...guesser, forwardedFor: '203.0.113.67, 203.0.113.66' })).to.equal('waiting');
  });

  it('cannot claim another address through an untrusted proxy', async () => {
    const { ask } = startNode(['10.0.0.0/8']);
    for (let count = 0; count < FREE; count += 1) await ask({ ...GUESS, forwardedFor: `203.0.113.${count}` });
    expect(await ask({ ...GUESS, forwardedFor: '203.0.113.200' })).to.equal('waiting');
  });

  it('is identified by the address that the outermost trusted proxy received', () => {
    const trusted = ['10.0.0.0/8', '::1'];
    expect(clientOf([], '10.0.0.1', '203.0.113.5')).to.equal('10.0.0.1');
    expect(clientOf(trusted, '10.0.0.1')).to.equal('10.0.0.1');
    expect(clientOf(trusted, '192.0.2.1', '203.0.113.5')).to.equal('192.0.2.1');
    expect(clientOf(trusted, '10.0.0.1', '203.0.113.5')).to.equal('203.0.113.5');
    expect(clientOf(trusted, '::1', '1.1.1.1, 203.0.113.5,10.0.0.7')).to.equal('203.0.113.5');
    expect(clientOf(trusted, '::ffff:10.0.0.1', '203.0.113.5:4711')).to.equal('203.0.113.5');
    expect(clientOf(trusted, '10.0.0.1', '[2001:db8::7]:4711')).to.equal('2001:db8::7');
    expect(clientOf(trusted, '10.0.0.1', '203.0.113.5, unknown')).to.equal('10.0.0.1');
    expect(clientOf(trusted, '10.0.0.1', '10.0.0.2, 10.0.0.3')).to.equal('10.0.0.2');
    expect(clientOf(trusted, '10.0.0.1', ','.repeat(30_000))).to.equal('10.0.0.1');
  });
});
