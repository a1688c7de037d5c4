import { expect } from 'chai';
import { createKoaTransport } from '../../../adapters/koa/koa-transport.ts';
import type { Listener } from '../../../ports/ports.ts';

const GRACE_MS = 60_000;

async function* endless(): AsyncGenerator<string> {
  yield ': open\n\n';
  await new Promise(() => {});
}

/** Starts a server of event streams. `answered` runs before a request gets its stream. */
const serveStreams = (answered: () => Promise<void>): Promise<Listener> => {
  const transport = createKoaTransport({
    host: '127.0.0.1',
    port: 0,
    report: () => {},
    corsAllowedOrigins: [],
    corsDevLocalhost: false,
  });
  const handle = async () => {
    await answered();
    return { status: 200, headers: { 'Content-Type': 'text/event-stream' }, body: endless() };
  };
  return transport.serve({
    endpoints: [{ method: 'GET', path: '/', handle }],
    unmatched: async () => ({ status: 404, headers: {} }),
  });
};

describe('a stream of events', () => {
  it('ends when the server closes, although it is endless itself', async () => {
    const listener = await serveStreams(async () => {});
    const reply = await fetch(listener.url);
    const reader = reply.body?.getReader();
    expect(Buffer.from((await reader?.read())?.value ?? []).toString()).to.equal(': open\n\n');
    await listener.close(GRACE_MS);
    expect((await reader?.read())?.done).to.equal(true);
  });

  it('ends at once when the server began to close before the stream started', async () => {
    let closed: Promise<void> | undefined;
    const listener: Listener = await serveStreams(async () => {
      closed = listener.close(GRACE_MS);
    });
    const reply = await fetch(listener.url);
    expect(await reply.text()).to.be.oneOf(['', ': open\n\n']);
    await closed;
  });
});
