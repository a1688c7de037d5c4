import { expect } from 'chai';
import { createLoopbackNetwork } from '../../fakes/loopback-network.ts';
import { createGate } from '../../kit/create-gate.ts';
import { forEachStore } from '../../kit/for-each-store.ts';
import { waitUntil } from '../../kit/wait-until.ts';
import { ATLAS, startSubscribedNode } from './subscribed-node.ts';

const LIMIT_MS = 60_000;
const HOSTS = 160;
const TARGETS = 10;
/** The number of requests that the node has in progress at once. */
const PLACES = 64;

forEachStore('webhooks that do not reply', () => {
  it('do not delay the events of other callers, however many hosts one caller names', async () => {
    const network = createLoopbackNetwork();
    const { passed: gate, open } = createGate();
    let hanging = 0;
    for (let at = 0; at < HOSTS; at += 1) {
      await network.transport(`https://slow-${at}.example`).serve({
        endpoints: [
          {
            method: 'POST',
            path: '/in',
            handle: async () => {
              hanging += 1;
              await gate;
              return { status: 200, headers: {} };
            },
          },
        ],
        unmatched: async () => ({ status: 404, headers: {} }),
      });
    }
    const subscribed = await startSubscribedNode({ network });
    try {
      const { node } = subscribed;
      const key = await node.addKey({ entityUri: 'agent:greedy', permissions: ['read'] });
      const { text } = await subscribed.token('svc://facts', { subject: 'agent:greedy' });
      for (let at = 0; at < HOSTS; at += 1) {
        const target = `svc://alpha.example/project/p${at % TARGETS}`;
        const body = { target, on_change: 'webhook', webhook_url: `https://slow-${at}.example/in` };
        const made = await node.request('POST', '/v1/subscriptions', {
          key,
          headers: { 'X-Svc-Capability': text },
          body,
        });
        expect(made.status, made.text).to.equal(201);
      }
      expect((await subscribed.subscribe(ATLAS)).status).to.equal(201);
      for (let at = 0; at < TARGETS; at += 1) {
        await subscribed.assert({ entity: `svc://alpha.example/project/p${at}` });
      }
      await waitUntil('many webhooks hang', LIMIT_MS, async () => {
        await node.clock.advance(60);
        return hanging >= PLACES / 2;
      });
      await subscribed.assert();
      await subscribed.sent(1);
      expect(hanging).to.be.below(PLACES);
    } finally {
      open();
      await subscribed.stop();
    }
  });
});
