import { expect } from 'chai';
import { MAX_PERSON_COST } from '../../../kernel/http/person-turns.ts';
import { schema } from '../../../kernel/plugin-api.ts';
import { createLoopbackNetwork } from '../../fakes/loopback-network.ts';
import { bearing, serveRoutes, type TestRoute, TOKENS } from '../../kit/serve-routes.ts';

const URL = 'http://node.test';

describe('A request that waits for its turn', () => {
  let begun: string[];
  /** Ends the first request, which lets the next one begin. */
  let end: () => void;
  let send: (name: string, signal?: AbortSignal) => Promise<number>;
  beforeEach(async () => {
    begun = [];
    const running = new Promise<void>((resolve) => {
      end = resolve;
    });
    const route: TestRoute = {
      method: 'GET',
      path: '/v1/work/:name',
      summary: 'works',
      access: { permission: 'read' },
      cost: MAX_PERSON_COST,
      params: schema<{ name: string }>({ type: 'object', properties: { name: { type: 'string' } } }),
      async handle({ params }) {
        const { name } = params as { readonly name: string };
        begun.push(name);
        if (name === 'first') await running;
        return { status: 200, body: {} };
      },
    };
    const { serveOptions } = serveRoutes([route]);
    const network = createLoopbackNetwork();
    await network.transport(URL).serve(serveOptions);
    const headers = Object.entries(bearing(TOKENS.reader));
    send = async (name, signal) => {
      const sent = { method: 'GET', target: `/v1/work/${name}`, headers, ...(signal !== undefined && { signal }) };
      return (await network.deliver(URL, sent)).status;
    };
  });

  it('does not begin once its client has gone away, and those behind it do', async () => {
    const client = new AbortController();
    const replies = [send('first'), send('gone', client.signal), send('next')];
    await new Promise((resolve) => setImmediate(resolve));
    expect(begun).to.deep.equal(['first']);
    client.abort();
    end();
    expect(await Promise.all(replies)).to.deep.equal([200, 503, 200]);
    expect(begun).to.deep.equal(['first', 'next']);
  });
});
