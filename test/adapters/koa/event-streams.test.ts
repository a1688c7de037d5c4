import { expect } from 'chai';
import { createKoaTransport } from '../../../adapters/koa/koa-transport.ts';

const GRACE_MS = 60_000;

describe('a stream of events', () => {
  it('ends when the server closes, although it has no end of its own', async () => {
    const transport = createKoaTransport({
      host: '127.0.0.1',
      port: 0,
      report: () => {},
      corsAllowedOrigins: [],
      corsDevLocalhost: false,
    });
    async function* endless(): AsyncGenerator<string> {
      yield ': open\n\n';
      await new Promise(() => {});
    }
    const headers = { 'Content-Type': 'text/event-stream' };
    const listener = await transport.serve({
      endpoints: [{ method: 'GET', path: '/', handle: async () => ({ status: 200, headers, body: endless() }) }],
      unmatched: async () => ({ status: 404, headers: {} }),
    });
    const reply = await fetch(listener.url);
    const reader = reply.body?.getReader();
    expect(Buffer.from((await reader?.read())?.value ?? []).toString()).to.equal(': open\n\n');
    await listener.close(GRACE_MS);
    expect((await reader?.read())?.done).to.equal(true);
  });
});
