import { expect } from 'chai';
import { MAX_STREAMS_PER_ENTITY } from '../../../plugins/subscriptions/stream-slots.ts';
import type { OutboundReply } from '../../../ports/ports.ts';
import { forEachStore } from '../../kit/for-each-store.ts';
import { ATLAS, type SubscribedNode, startSubscribedNode } from '../../plugins/subscriptions/subscribed-node.ts';

/** More opened streams than one process serves at once. */
const MANY_OPENS = 600;

forEachStore('A client opens event streams to use up the slots of all clients (I20)', () => {
  let subscribed: SubscribedNode;
  let id: string;
  beforeEach(async () => {
    subscribed = await startSubscribedNode();
    ({ id } = (await subscribed.subscribe(ATLAS)).body);
  });
  afterEach(() => subscribed.stop());

  const open = (signal?: AbortSignal, key = subscribed.key, of = id): Promise<OutboundReply> =>
    subscribed.node.network.deliver(subscribed.node.url, {
      method: 'GET',
      target: `/v1/subscriptions/${of}/stream`,
      headers: [['Authorization', `Bearer ${key}`]],
      ...(signal === undefined ? {} : { signal }),
    });
  const close = async ({ body }: OutboundReply): Promise<void> => {
    await (body as AsyncIterable<string>)[Symbol.asyncIterator]().return?.();
  };

  it('a client that disconnects before the stream begins releases its slot', async () => {
    for (let n = 0; n < MANY_OPENS; n += 1) {
      const client = new AbortController();
      const opening = open(client.signal);
      client.abort();
      await opening;
    }
    const reply = await open();
    expect(reply.status).to.equal(200);
    await close(reply);
  });

  it('a client that disconnected before its request was read occupies no slot', async () => {
    const client = new AbortController();
    client.abort();
    for (let n = 0; n < MANY_OPENS; n += 1) await open(client.signal);
    expect((await open()).status).to.equal(200);
  });

  it('a refused request occupies no slot', async () => {
    for (let n = 0; n < MANY_OPENS; n += 1) await open(undefined, subscribed.key, 'unknown');
    expect((await open()).status).to.equal(200);
  });

  it('an entity that uses its whole share is refused, with another of its keys too, until it closes a stream', async () => {
    const held: OutboundReply[] = [];
    for (let n = 0; n < MAX_STREAMS_PER_ENTITY; n += 1) held.push(await open());
    expect(held.map(({ status }) => status)).to.deep.equal(held.map(() => 200));
    const refused = await open();
    expect([refused.status, JSON.parse(String(refused.body)).code]).to.deep.equal([409, 'limit_reached']);
    const otherKey = await subscribed.node.addKey({ entityUri: 'agent:sub', permissions: ['read'] });
    expect((await open(undefined, otherKey)).status).to.equal(409);
    await close(held[0] as OutboundReply);
    expect((await open()).status).to.equal(200);
  });
});
