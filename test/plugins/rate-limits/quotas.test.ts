import { expect } from 'chai';
import { createManualClock } from '../../fakes/manual-clock.ts';
import { createSeededRandom } from '../../fakes/seeded-random.ts';
import { forEachStore } from '../../kit/for-each-store.ts';
import type { TestNode } from '../../kit/start-test-node.ts';
import { countOf, newFact, startLimitedNode, statusesOf } from './quota-kit.ts';

forEachStore('The quota of an entity', () => {
  let nodes: TestNode[] = [];
  const start = async (...parameters: Parameters<typeof startLimitedNode>): Promise<TestNode> => {
    const node = await startLimitedNode(...parameters);
    nodes.push(node);
    return node;
  };
  afterEach(async () => {
    for (const node of nodes.reverse()) await node.stop();
    nodes = [];
  });

  const assertFact = (node: TestNode, key: string) => () => node.request('POST', '/v1/facts', { key, body: newFact() });

  it("accepts a minute's worth of requests at once, refills steadily, and states the remaining number in headers", async () => {
    const node = await start('fact_write=20');
    const key = await node.addKey();
    const first = await assertFact(node, key)();
    expect(first.status).to.equal(201);
    expect([first.headers['ratelimit-limit'], first.headers['ratelimit-remaining'], first.headers['ratelimit-reset']])
      .to //
      .deep.equal(['20', '19', '3']);
    expect(countOf(await statusesOf(25, assertFact(node, key)), 201)).to.equal(19);
    const refused = await assertFact(node, key)();
    expect([refused.status, refused.body.code, refused.body.dimension]).to.deep.equal([
      429,
      'quota_exceeded',
      'fact_write',
    ]);
    expect([refused.body.retry_after, refused.headers['retry-after']]).to.deep.equal([3, '3']);
    expect([refused.headers['ratelimit-remaining'], refused.headers['ratelimit-reset']]).to.deep.equal(['0', '60']);
    expect(refused.body.detail).to.be.a('string').and.contain('3 s');
    await node.clock.advance(3_000);
    expect(await statusesOf(2, assertFact(node, key))).to.deep.equal([201, 429]);
    await node.clock.advance(60_000);
    expect(countOf(await statusesOf(25, assertFact(node, key)), 201)).to.equal(20);
  });

  it('is shared by all keys of the entity, and by no other entity', async () => {
    const node = await start('fact_write=10');
    const [one, other] = [await node.addKey({ entityUri: 'agent:a' }), await node.addKey({ entityUri: 'agent:a' })];
    const stranger = await node.addKey({ entityUri: 'agent:b' });
    const together = [
      ...(await statusesOf(6, assertFact(node, one))),
      ...(await statusesOf(6, assertFact(node, other))),
    ];
    expect(countOf(together, 201)).to.equal(10);
    expect(await statusesOf(1, assertFact(node, stranger))).to.deep.equal([201]);
    const elsewhere = () => node.request('GET', '/v1/facts', { key: one });
    const free = await elsewhere();
    expect([free.status, free.headers['ratelimit-limit']]).to.deep.equal([200, undefined]);
  });

  it('counts a request before its permissions and body are checked, but not without a valid credential', async () => {
    const node = await start('fact_write=2');
    const key = await node.addKey({ permissions: ['read'] });
    const broken = { key, body: '{', headers: { 'Content-Type': 'text/plain' } };
    expect(await statusesOf(3, () => node.request('POST', '/v1/facts', broken))).to.deep.equal([403, 403, 429]);
    const unknown = await node.request('POST', '/v1/facts', { key: 'nobody-knows-this-key-0123456789', body: {} });
    expect([unknown.status, unknown.headers['ratelimit-limit']]).to.deep.equal([401, undefined]);
  });

  it('does not depend on the client address that the request claims', async () => {
    const node = await start('fact_write=3');
    const key = await node.addKey();
    let n = 0;
    const send = () => {
      n += 1;
      const headers = { 'X-Forwarded-For': `10.0.0.${n}`, Forwarded: `for=10.0.1.${n}` };
      return node.request('POST', '/v1/facts', { key, headers, body: newFact() });
    };
    expect(await statusesOf(5, send)).to.deep.equal([201, 201, 201, 429, 429]);
  });

  it('applies to several nodes on one store together, and survives their restarts', async () => {
    const clock = createManualClock();
    const first = await start('fact_write=30', { clock });
    const others = await Promise.all(
      [1, 2].map((n) =>
        start('fact_write=30', {
          clock,
          folder: first.folder,
          url: `http://localhost:${9_000 + n}`,
          random: createSeededRandom(10 + n),
        }),
      ),
    );
    const key = await first.addKey();
    const all = [first, ...others];
    const statuses = await Promise.all(
      Array.from({ length: 90 }, (_, n) => assertFact(all[n % 3] as TestNode, key)().then(({ status }) => status)),
    );
    expect([countOf(statuses, 201), countOf(statuses, 429)]).to.deep.equal([30, 60]);
    await others[0]?.stop();
    const again = await start('fact_write=30', {
      clock,
      folder: first.folder,
      url: 'http://localhost:9003',
      random: createSeededRandom(20),
    });
    expect(await statusesOf(3, assertFact(again, key))).to.deep.equal([429, 429, 429]);
  });

  it('is neither used up nor refilled by a clock that is set back', async () => {
    const node = await start('fact_write=10');
    const key = await node.addKey();
    await statusesOf(10, assertFact(node, key));
    node.clock.setNowMs(node.clock.nowMs() - 3_600_000);
    await node.clock.advance(1_000);
    expect(await statusesOf(1, assertFact(node, key))).to.deep.equal([429]);
    await node.clock.advance(6_000);
    expect(await statusesOf(2, assertFact(node, key))).to.deep.equal([201, 429]);
  });

  it('writes one audit entry for the first refusal in a minute, once for all processes', async () => {
    const clock = createManualClock();
    const node = await start('fact_write=2', { clock });
    const other = await start('fact_write=2', {
      clock,
      folder: node.folder,
      url: 'http://localhost:9001',
      random: createSeededRandom(11),
    });
    const key = await node.addKey({ entityUri: 'agent:busy' });
    const auditor = await node.addKey({ entityUri: 'agent:auditor', permissions: ['audit.read'] });
    const breaches = async () => {
      const path = '/v1/auth/audit?event_type=quota_breach';
      return (await node.request('GET', path, { key: auditor })).body.entries;
    };
    await statusesOf(6, assertFact(node, key));
    await clock.advance(5_000);
    await statusesOf(3, assertFact(other, key));
    const entries = await breaches();
    expect(entries).to.have.length(1);
    expect(entries[0]).to.include({ entity_uri: 'agent:busy', fact_id: null });
    expect(entries[0].detail).to.deep.equal({ dimension: 'fact_write', per_minute: 2 });
    await clock.advance(60_000);
    await statusesOf(4, assertFact(other, key));
    expect(await breaches()).to.have.length(2);
  });

  it('counts each item of a batch, and accepts all items or none', async () => {
    const node = await start('fact_write=10');
    const key = await node.addKey();
    const send = (items: number) =>
      node.request('POST', '/v1/facts/batch', { key, body: Array.from({ length: items }, newFact) });
    const six = await send(6);
    expect([six.status, six.body.accepted, six.headers['ratelimit-remaining']]).to.deep.equal([200, 6, '4']);
    const five = await send(5);
    expect([five.status, five.body.retry_after, five.headers['ratelimit-remaining']]).to.deep.equal([429, 6, '4']);
    expect((await send(4)).status).to.equal(200);
    await node.clock.advance(60_000);
    const never = await send(11);
    expect([never.status, never.body.code, never.headers['retry-after']]).to.deep.equal([
      413,
      'batch_too_large',
      undefined,
    ]);
    expect((await send(10)).status).to.equal(200);
  });

  it('can be read by its holder without counting as a request', async () => {
    const node = await start('fact_write=20,recall=5');
    const [key, other] = [await node.addKey(), await node.addKey({ entityUri: 'agent:other' })];
    const limits = async (asker: string) => (await node.request('GET', '/v1/me/limits', { key: asker })).body;
    await statusesOf(5, assertFact(node, key));
    expect(await limits(key)).to.deep.equal({
      quotas: [
        { dimension: 'fact_write', limit: 20, remaining: 15, reset: 15 },
        { dimension: 'recall', limit: 5, remaining: 5, reset: 0 },
      ],
      stored_bytes: null,
    });
    expect((await limits(other)).quotas[0].remaining).to.equal(20);
    expect(await limits(key)).to.deep.equal(await limits(key));
  });

  it('is one shared quota for all callers without a key', async () => {
    const node = await start('fact_write=3', { node: { authRequired: false } });
    const send = () => node.request('POST', '/v1/facts', { body: newFact() });
    expect(await statusesOf(5, send)).to.deep.equal([201, 201, 201, 429, 429]);
  });
});
