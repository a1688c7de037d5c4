import { expect } from 'chai';
import { type Facts, type Principal, SCOPES } from '../../../kernel/plugin-api.ts';
import { DELIVERY_INTERVAL_MS, RETRY_INTERVAL_MS } from '../../../plugins/billing/billing-delivery.ts';
import { createManualClock } from '../../fakes/manual-clock.ts';
import { createSeededRandom } from '../../fakes/seeded-random.ts';
import { forEachStore } from '../../kit/for-each-store.ts';
import { startTestNode, type TestNode } from '../../kit/start-test-node.ts';
import { createRecordingSink, type RecordingSink } from './recording-sink.ts';

const callerOf = (tenantId = 'default'): Principal => ({
  kind: 'key',
  entityUri: 'agent:w',
  permissions: new Set(['read', 'write']),
  allowedScopes: new Set(SCOPES),
  tenantId,
  keyId: 'k',
  oidcSub: null,
});

let drawn = 0;
const draft = (): Parameters<Facts['append']>[0] => ({
  entity: `user:${++drawn}`,
  relation: 'memory:n',
  value: { type: 'boolean', v: true, interpretAs: 'content' },
  source: 'agent:s',
  confidence: 1,
  scope: 'local',
});

const PATIENCE_MS = 20_000;

/** Lets work that goes on beside the test come to its end. */
const settled = async (done: () => boolean): Promise<void> => {
  const deadline = performance.now() + PATIENCE_MS;
  while (!done() && performance.now() < deadline) await new Promise((resolve) => setImmediate(resolve));
  expect(done(), 'the work came to its end').to.equal(true);
};

forEachStore('the delivery of billing events', () => {
  let sink: RecordingSink;
  let node: TestNode;
  beforeEach(async () => {
    sink = createRecordingSink();
    node = await startTestNode({ plugins: ['billing', sink.plugin] });
  });
  afterEach(() => node.stop());

  const append = async (count: number, tenantId?: string): Promise<string[]> => {
    const caller = callerOf(tenantId);
    const stored = await Promise.all(Array.from({ length: count }, () => node.facts.append(draft(), caller)));
    return stored.map(({ view }) => view.fact.id);
  };
  const delivered = () => sink.events.map(({ factId }) => factId);

  it('brings each fact that a client wrote to the sink, in the order of the commits', async () => {
    const ids = await append(3);
    await settled(() => sink.events.length === 3);
    expect(delivered()).to.deep.equal(ids);
    expect(sink.events[0]).to.deep.equal({
      eventType: 'fact_written',
      tenantId: 'default',
      entityUri: 'agent:w',
      factId: ids[0],
      gardenId: null,
      ts: '2026-03-02T09:00:00.000Z',
    });
  });

  it('leaves out what the node and its peers wrote', async () => {
    await node.facts.append(draft(), callerOf(), { origin: 'plugin' });
    await node.facts.append(draft(), callerOf(), { origin: 'peer' });
    const ids = await append(1);
    await settled(() => sink.events.length > 0);
    await node.stop();
    expect(delivered()).to.deep.equal(ids);
  });

  it('joins what comes within an interval, so that load does not multiply its work', async () => {
    const first = await append(1);
    await settled(() => sink.writes.length === 1);
    await settled(() => node.clock.pending > 1);
    const ids = [...(await append(40)), ...(await append(40))];
    expect(delivered()).to.deep.equal(first);
    await node.clock.advance(DELIVERY_INTERVAL_MS);
    await settled(() => sink.events.length === 81);
    expect(delivered()).to.deep.equal([...first, ...ids]);
    expect(sink.writes).to.deep.equal([1, 80]);
  });

  it('delivers what is left when the node stops', async () => {
    await append(1);
    await settled(() => sink.writes.length === 1);
    const ids = await append(5);
    await node.stop();
    expect(delivered().slice(1)).to.deep.equal(ids);
  });

  it('tries again after a failure, loses nothing, and logs no event', async () => {
    sink.failing = true;
    const ids = await append(2);
    await settled(() => node.logLines.some(({ level }) => level === 'warn'));
    sink.failing = false;
    await node.clock.advance(RETRY_INTERVAL_MS);
    await settled(() => sink.events.length === 2);
    expect(delivered()).to.deep.equal(ids);
    expect(JSON.stringify(node.logLines)).not.to.contain(ids[0]);
  });

  it('keeps tenants apart: none waits for what another has to catch up on', async () => {
    const ids = [...(await append(2, 't1')), ...(await append(2, 't2'))];
    await settled(() => node.clock.pending > 1);
    await node.clock.advance(DELIVERY_INTERVAL_MS);
    await settled(() => sink.events.length === 4);
    expect(delivered()).to.have.members(ids);
    expect(sink.events.map(({ tenantId }) => tenantId)).to.have.members(['t1', 't1', 't2', 't2']);
  });
});

forEachStore('billing events and crashes', () => {
  it('come after a restart when they were not delivered before, and not again when they were', async () => {
    const clock = createManualClock();
    const before = createRecordingSink();
    const first = await startTestNode({ plugins: ['billing', before.plugin], clock });
    const { folder } = first;
    const pending = clock.pending;
    await first.facts.append(draft(), callerOf());
    await settled(() => before.events.length === 1 && clock.pending > pending);
    before.failing = true;
    const lost = await first.facts.append(draft(), callerOf());
    await clock.advance(DELIVERY_INTERVAL_MS);
    await settled(() => first.logLines.some(({ level }) => level === 'warn'));

    const after = createRecordingSink();
    const random = createSeededRandom(2);
    const second = await startTestNode({ plugins: ['billing', after.plugin], clock, folder, random });
    await second.stop();
    expect(before.events).to.have.length(1);
    expect(after.events.map(({ factId }) => factId)).to.deep.equal([lost.view.fact.id]);

    const third = await startTestNode({ plugins: ['billing', after.plugin], clock, folder, random });
    await third.stop();
    expect(after.events).to.have.length(1);
    await first.stop();
  });

  it('share the work of several processes: every event comes at least once', async () => {
    const clock = createManualClock();
    const sinks = [createRecordingSink(), createRecordingSink()];
    const nodes: TestNode[] = [];
    for (const [at, sink] of sinks.entries()) {
      const folder = nodes[0]?.folder;
      const random = createSeededRandom(at + 1);
      const plugins = ['billing', sink.plugin];
      nodes.push(await startTestNode({ plugins, clock, random, ...(folder !== undefined && { folder }) }));
    }
    const stored = await Promise.all(
      Array.from({ length: 60 }, (_, at) => (nodes[at % 2] as TestNode).facts.append(draft(), callerOf())),
    );
    for (const node of nodes.reverse()) await node.stop();
    const seen = new Set(sinks.flatMap(({ events }) => events.map(({ factId }) => factId)));
    expect([...seen].sort()).to.deep.equal(stored.map(({ view }) => view.fact.id).sort());
  });
});
