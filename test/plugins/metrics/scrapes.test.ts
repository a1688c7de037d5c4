import { expect } from 'chai';
import { defineOwnPlugin } from '../../../kernel/internal-api.ts';
import { Telemetry } from '../../../kernel/plugin-api.ts';
import type { AnyPlugin } from '../../../kernel/plugins/plugin-definition.ts';
import { comesTrue } from '../../kit/comes-true.ts';
import { forEachStore } from '../../kit/for-each-store.ts';
import { startTestNode, type TestNode } from '../../kit/start-test-node.ts';
import type { TestReply } from '../../kit/test-request.ts';
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

const probe = (declare: (telemetry: Telemetry) => void): AnyPlugin =>
  defineOwnPlugin({
    name: 'z-probe',
    requires: { telemetry: Telemetry },
    setup: ({ use }) => declare(use.telemetry),
  });

const scrape = async (node: TestNode, headers: Record<string, string> = {}): Promise<string> => {
  const key = await node.addKey({ permissions: ['admin'] });
  const reply = await node.request('GET', '/v1/metrics', { key, headers });
  expect(reply.status).to.equal(200);
  return reply.text;
};

/** Advances the clock until the reply arrives, and returns its text. */
const settled = async ({ clock }: TestNode, pending: Promise<TestReply>): Promise<string> => {
  let reply: TestReply | undefined;
  void pending.then((arrived) => {
    reply = arrived;
  });
  await comesTrue(async () => {
    await clock.advance(100);
    return reply !== undefined;
  });
  return (await pending).text;
};

forEachStore('a scrape of the metrics', () => {
  it('is Prometheus text with the instruments of plugins, with the prefix of the service', async () => {
    const node = await start({
      plugins: ['keys', 'audit', 'metrics'],
      extra: [
        probe((telemetry) => {
          const done = telemetry.counter({ name: 'probe_done_total', help: 'Done "things"', labels: ['kind'] });
          done.add(3, { kind: 'a "quoted"\nline' });
          const wait = telemetry.histogram({ name: 'probe_wait_seconds', help: 'Waits', buckets: [0.1, 1] });
          for (const value of [0.05, 0.1, 0.5, 7]) wait.observe(value);
          telemetry.gauge({ name: 'probe_length', help: 'Length', of: 'store' }, async () => 42);
          telemetry.gauge({ name: 'probe_parts', help: 'Parts', labels: ['part'] }, () => [
            { value: 1, labels: { part: 'a' } },
            { value: 2, labels: { part: 'b' } },
          ]);
          telemetry.counter({ name: 'probe_never_total', help: 'Never' });
        }),
      ],
    });
    const key = await node.addKey({ permissions: ['audit.read'] });
    const reply = await node.request('GET', '/v1/metrics', { key });
    expect(reply.status).to.equal(200);
    expect(reply.headers['content-type']).to.equal('text/plain; version=0.0.4; charset=utf-8');
    expect(reply.text).to.include('# HELP svc_probe_done_total Done "things"\n# TYPE svc_probe_done_total counter\n');
    expect(parseScrape(reply.text).filter(({ name }) => name.startsWith('svc_probe_'))).to.have.deep.members([
      { name: 'svc_probe_done_total', labels: { kind: 'a \\"quoted\\"\\nline' }, value: 3 },
      { name: 'svc_probe_never_total', labels: {}, value: 0 },
      { name: 'svc_probe_wait_seconds_bucket', labels: { le: '0.1' }, value: 2 },
      { name: 'svc_probe_wait_seconds_bucket', labels: { le: '1' }, value: 3 },
      { name: 'svc_probe_wait_seconds_bucket', labels: { le: '+Inf' }, value: 4 },
      { name: 'svc_probe_wait_seconds_sum', labels: {}, value: 7.65 },
      { name: 'svc_probe_wait_seconds_count', labels: {}, value: 4 },
      { name: 'svc_probe_length', labels: {}, value: 42 },
      { name: 'svc_probe_parts', labels: { part: 'a' }, value: 1 },
      { name: 'svc_probe_parts', labels: { part: 'b' }, value: 2 },
    ]);
  });

  it('contains the memory, the processor time and the event loop of the process', async () => {
    const text = await scrape(await start());
    for (const name of ['process_resident_memory_bytes', 'nodejs_eventloop_lag_p99_seconds', 'nodejs_version_info']) {
      expect(
        parseScrape(text).some((sample) => sample.name === name),
        name,
      ).to.equal(true);
    }
  });

  it('is OpenMetrics for a client that accepts it', async () => {
    const node = await start({ extra: [probe((t) => t.counter({ name: 'probe_done_total', help: 'Done' }).add(2))] });
    const key = await node.addKey({ permissions: ['admin'] });
    const accept = 'application/openmetrics-text;version=1.0.0,text/plain;version=0.0.4;q=0.5';
    const reply = await node.request('GET', '/v1/metrics', { key, headers: { Accept: accept } });
    expect(reply.headers['content-type']).to.equal('application/openmetrics-text; version=1.0.0; charset=utf-8');
    expect(reply.text).to.include('# TYPE svc_probe_done counter\n').and.to.include('\nsvc_probe_done_total 2\n');
    expect(reply.text.endsWith('# EOF\n')).to.equal(true);
    for (const other of ['text/plain', '*/*', 'application/openmetrics-text;q=0, text/plain']) {
      const plain = await node.request('GET', '/v1/metrics', { key, headers: { Accept: other } });
      expect(plain.headers['content-type'], other).to.match(/^text\/plain/);
    }
  });

  it('is reserved to administrators and auditors of the operator’s tenant', async () => {
    const node = await start({ env: { SVC_MULTI_TENANT_ENABLED: 'true' } });
    expect((await node.request('GET', '/v1/metrics')).status).to.equal(401);
    const plain = await node.addKey({ permissions: ['read', 'write'] });
    expect((await node.request('GET', '/v1/metrics', { key: plain })).status).to.equal(403);
    const foreign = await node.addKey({ permissions: ['admin'], tenantId: 'beta' });
    const reply = await node.request('GET', '/v1/metrics', { key: foreign });
    expect([reply.status, reply.body.code]).to.deep.equal([403, 'authorization']);
  });

  it('leaves out a gauge that fails or never resolves, and counts the failure', async () => {
    const node = await start({
      extra: [
        probe((telemetry) => {
          telemetry.gauge({ name: 'probe_broken_length', help: 'Fails' }, () => {
            throw new Error('no number today');
          });
          telemetry.gauge({ name: 'probe_stuck_length', help: 'Hangs' }, () => new Promise<never>(() => {}));
          telemetry.gauge({ name: 'probe_whole_length', help: 'Works' }, () => 5);
        }),
      ],
    });
    const key = await node.addKey({ permissions: ['admin'] });
    const text = await settled(node, node.request('GET', '/v1/metrics', { key }));
    expect(sampleOf(text, 'svc_probe_whole_length')).to.equal(5);
    expect(text).not.to.include('svc_probe_broken_length ').and.not.to.include('svc_probe_stuck_length ');
    await node.clock.advance(2_000);
    const again = await settled(node, node.request('GET', '/v1/metrics', { key }));
    for (const gauge of ['probe_broken_length', 'probe_stuck_length']) {
      expect(sampleOf(again, 'svc_metrics_unread_gauges_total', { gauge }), gauge).to.be.above(0);
    }
  });

  it('reads each gauge once a second, however many scrapes arrive', async () => {
    let reads = 0;
    const count = (telemetry: Telemetry): void => {
      telemetry.gauge({ name: 'probe_length', help: 'Length', of: 'store' }, () => {
        reads += 1;
        return reads;
      });
    };
    const node = await start({ extra: [probe(count)] });
    const key = await node.addKey({ permissions: ['admin'] });
    const replies = await Promise.all([1, 2, 3].map(() => node.request('GET', '/v1/metrics', { key })));
    expect(replies.map(({ text }) => sampleOf(text, 'svc_probe_length'))).to.deep.equal([1, 1, 1]);
    await node.clock.advance(1_001);
    expect(sampleOf(await scrape(node), 'svc_probe_length')).to.equal(2);
  });
});
