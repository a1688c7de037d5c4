import { expect } from 'chai';
import { forEachStore } from '../../kit/for-each-store.ts';
import { startTestNode, type TestNode } from '../../kit/start-test-node.ts';
import { parseScrape, sampleOf } from './scrape.ts';

const nodes: TestNode[] = [];
const start = async (options: Parameters<typeof startTestNode>[0] = {}): Promise<TestNode> => {
  const node = await startTestNode(options);
  nodes.push(node);
  return node;
};
afterEach(async () => {
  for (const node of nodes.splice(0)) await node.stop();
});

const scrape = async (node: TestNode): Promise<string> => {
  const key = await node.addKey({ permissions: ['admin'] });
  return (await node.request('GET', '/v1/metrics', { key })).text;
};

const fact = (entity: string, text = 'x') => ({
  entity,
  relation: 'memory:note',
  value: { type: 'string', v: text },
  source: 'agent:a',
  confidence: 0.9,
  scope: 'company',
});

forEachStore('requests and appends in the metrics', () => {
  it('count requests by the pattern of their route, never by their path', async () => {
    const node = await start();
    const key = await node.addKey();
    for (const entity of ['user:secret-a', 'user:secret-b']) {
      await node.request('GET', `/v1/cards/${entity}?scope=company`, { key });
    }
    await node.request('GET', '/v1/facts', { key: 'no-such-key-0123456789' });
    await node.request('SECRET', '/v1/secret', { key });
    const text = await scrape(node);
    const route = '/v1/cards/*entity_uri';
    const requests = parseScrape(text).filter(({ name }) => name === 'svc_http_requests_total');
    const cards = requests.filter(({ labels }) => labels['route'] === route);
    expect(cards.reduce((sum, { value }) => sum + value, 0)).to.equal(2);
    expect(sampleOf(text, 'svc_http_request_seconds_count', { method: 'GET', route })).to.equal(2);
    expect(requests).to.deep.include({
      name: 'svc_http_requests_total',
      labels: { method: 'other', route: 'none', status: '4xx' },
      value: 1,
    });
    expect(sampleOf(text, 'svc_http_refusals_total', { code: 'authentication' })).to.equal(1);
    expect(sampleOf(text, 'svc_http_sent_bytes_total', { route })).to.be.above(0);
    expect(text).not.to.include('secret');
  });

  it('count appended facts by result, and the writes that share a transaction by size and duration', async () => {
    const node = await start();
    const key = await node.addKey();
    const before = await scrape(node);
    const facts = [fact('user:a'), fact('user:b'), fact('user:a'), { ...fact('user:c'), scope: 'company' }];
    const reply = await node.request('POST', '/v1/facts/batch', { key, body: facts });
    expect(reply.status, reply.text).to.be.oneOf([200, 201, 207]);
    await node.request('POST', '/v1/facts', { key, body: fact('user:a') });
    const after = await scrape(node);
    const grown = (name: string, labels: Record<string, string> = {}): number =>
      (sampleOf(after, name, labels) ?? 0) - (sampleOf(before, name, labels) ?? 0);
    expect(grown('svc_append_facts_total', { result: 'stored' })).to.be.at.least(3);
    expect(grown('svc_append_group_facts_count')).to.be.at.least(2);
    expect(grown('svc_append_group_seconds_count')).to.equal(grown('svc_append_group_facts_count'));
    expect(sampleOf(after, 'svc_append_waiting_calls')).to.equal(0);
  });

  it('count the times when the machine’s clock goes back or jumps ahead', async () => {
    const node = await start();
    const key = await node.addKey();
    const store = (entity: string) => node.request('POST', '/v1/facts', { key, body: fact(entity) });
    const faults = async (direction: string): Promise<number> =>
      sampleOf(await scrape(node), 'svc_clock_faults_total', { direction }) ?? 0;
    await store('user:a');
    await node.clock.advance(3_600_000);
    await store('user:b');
    expect([await faults('backward'), await faults('forward')]).to.deep.equal([0, 0]);
    node.clock.setNowMs(node.clock.nowMs() - 5_000);
    await store('user:c');
    expect([await faults('backward'), await faults('forward')]).to.deep.equal([1, 0]);
    node.clock.setNowMs(node.clock.nowMs() + 200_000);
    await store('user:d');
    expect([await faults('backward'), await faults('forward')]).to.deep.equal([1, 1]);
    expect(node.logLines.some(({ message }) => message.startsWith('clock_jump'))).to.equal(true);
  });
});
