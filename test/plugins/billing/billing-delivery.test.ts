import { expect } from 'chai';
import { type Facts, type Principal, SCOPES } from '../../../kernel/plugin-api.ts';
import { DELIVERY_INTERVAL_MS, RETRY_INTERVAL_MS } from '../../../plugins/billing/billing-delivery.ts';
import { FactStore } from '../../../ports/ports.ts';
import { createStoreCounter } from '../../fakes/counting-store.ts';
import { createManualClock } from '../../fakes/manual-clock.ts';
import { createSeededRandom } from '../../fakes/seeded-random.ts';
import { comesTrue } from '../../kit/comes-true.ts';
import { endLeases } from '../../kit/end-leases.ts';
import { forEachStore } from '../../kit/for-each-store.ts';
import { startTestNode, type TestNode, type TestNodeOptions } from '../../kit/start-test-node.ts';
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

/** The fence of the first process that gets a lease. */
const FIRST_FENCE = 1;

let drawn = 0;
const draft = (): Parameters<Facts['append']>[0] => ({
  entity: `user:${++drawn}`,
  relation: 'memory:n',
  value: { type: 'boolean', v: true, interpretAs: 'content' },
  source: 'agent:s',
  confidence: 1,
  scope: 'local',
});

forEachStore('the delivery of billing events', () => {
  let sink: RecordingSink;
  let node: TestNode;
  let idle: number;
  beforeEach(async () => {
    sink = createRecordingSink();
    node = await startTestNode({ plugins: ['billing', sink.plugin] });
    idle = node.clock.pending;
  });
  afterEach(() => node.stop());

  const append = async (count: number, tenantId?: string): Promise<string[]> => {
    const caller = callerOf(tenantId);
    const stored = await Promise.all(Array.from({ length: count }, () => node.facts.append(draft(), caller)));
    return stored.map(({ view }) => view.fact.id);
  };
  const delivered = () => sink.events.map(({ factId }) => factId);
  /** Advances the clock, because a delivery between two commits pauses before it delivers the second one. */
  const untilDelivered = (count: number): Promise<void> =>
    comesTrue(async () => {
      await node.clock.advance(DELIVERY_INTERVAL_MS);
      return sink.events.length >= count;
    });

  it('leaves events to the next start when the sink does not answer during a stop', async () => {
    sink.paused = true;
    await append(1);
    await comesTrue(() => sink.waiting > 0);
    let hasStopped = false;
    const stop = node.stop().finally(() => {
      hasStopped = true;
    });
    await comesTrue(async () => {
      await node.clock.advance(500);
      return hasStopped;
    });
    await stop;
    sink.paused = false;
    const remarks = node.logLines.filter(({ level }) => level === 'warn' || level === 'error');
    expect(remarks.map(({ message }) => message)).to.deep.equal(['billing events wait for the next start']);
  });

  it('sends each fact of a client to the sink, in the order of the commits', async () => {
    const ids = await append(3);
    await untilDelivered(3);
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

  it('excludes facts of the node and of its peers', async () => {
    await node.facts.append(draft(), callerOf(), { origin: 'plugin' });
    await node.facts.append({ ...draft(), hlcText: '1772442000000.0' }, callerOf(), { origin: 'peer' });
    const ids = await append(1);
    await untilDelivered(1);
    await node.stop();
    expect(delivered()).to.deep.equal(ids);
  });

  it('merges the events of an interval into one call', async () => {
    const first = await append(1);
    await comesTrue(() => sink.writes.length === 1);
    await comesTrue(() => node.clock.pending > idle);
    const ids = [...(await append(40)), ...(await append(40))];
    expect(delivered()).to.deep.equal(first);
    await node.clock.advance(DELIVERY_INTERVAL_MS);
    await comesTrue(() => sink.events.length === 81);
    expect(delivered()).to.deep.equal([...first, ...ids]);
    expect(sink.writes).to.deep.equal([1, 80]);
  });

  it('adds no statement to the assertion of a fact', async () => {
    const statementsOf = async (plugins: NonNullable<TestNodeOptions['plugins']>): Promise<number> => {
      const counter = createStoreCounter();
      const counted = await startTestNode({ plugins, wrapStore: counter.count });
      const pending = counted.clock.pending;
      await counted.facts.append(draft(), callerOf());
      // Deliveries pause until the clock moves.
      if (plugins.length > 0) await comesTrue(() => counted.clock.pending > pending);
      const { statements } = await counter.during(() => counted.facts.append(draft(), callerOf()));
      await counted.stop();
      return statements;
    };
    const bare = await statementsOf([]);
    expect(bare).to.be.at.least(1);
    expect(await statementsOf(['billing', createRecordingSink().plugin])).to.equal(bare);
  });

  it('delivers the remaining events when the node stops', async () => {
    await append(1);
    await comesTrue(() => sink.writes.length === 1);
    const ids = await append(5);
    await node.stop();
    expect(delivered().slice(1)).to.deep.equal(ids);
  });

  it('retries after a failure, loses no event, and logs no event', async () => {
    sink.failing = true;
    const ids = await append(2);
    await comesTrue(() => node.logLines.some(({ level }) => level === 'warn'));
    sink.failing = false;
    await node.clock.advance(RETRY_INTERVAL_MS);
    await comesTrue(() => sink.events.length === 2);
    expect(delivered()).to.deep.equal(ids);
    expect(JSON.stringify(node.logLines)).not.to.contain(ids[0]);
  });

  it('separates tenants: a backlog of one does not delay another', async () => {
    const ids = [...(await append(2, 't1')), ...(await append(2, 't2'))];
    await comesTrue(() => node.clock.pending > idle);
    await node.clock.advance(DELIVERY_INTERVAL_MS);
    await comesTrue(() => sink.events.length === 4);
    expect(delivered()).to.have.members(ids);
    expect(sink.events.map(({ tenantId }) => tenantId)).to.have.members(['t1', 't1', 't2', 't2']);
  });
});

forEachStore('billing events and crashes', () => {
  it('are delivered after a restart if they were not delivered before, and not again if they were', async () => {
    const clock = createManualClock();
    const before = createRecordingSink();
    const first = await startTestNode({ plugins: ['billing', before.plugin], clock });
    const { folder } = first;
    const pending = clock.pending;
    await first.facts.append(draft(), callerOf());
    await comesTrue(() => before.events.length === 1 && clock.pending > pending);
    before.failing = true;
    const lost = await first.facts.append(draft(), callerOf());
    await clock.advance(DELIVERY_INTERVAL_MS);
    await comesTrue(() => first.logLines.some(({ level }) => level === 'warn'));

    const after = createRecordingSink();
    await endLeases(first.kernel.get(FactStore));
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

  it('are not delivered by a process that opens the store without serving', async () => {
    const clock = createManualClock();
    const before = createRecordingSink();
    const node = await startTestNode({ plugins: ['billing', before.plugin], clock });
    const { folder } = node;
    before.failing = true;
    const lost = await node.facts.append(draft(), callerOf());
    await endLeases(node.kernel.get(FactStore));

    const beside = createRecordingSink();
    const random = createSeededRandom(2);
    const command = await startTestNode({ plugins: ['billing', beside.plugin], folder, random, serves: false });
    await command.clock.advance(60_000);
    await command.stop();
    expect(beside.events).to.deep.equal([]);

    const after = createRecordingSink();
    const next = await startTestNode({ plugins: ['billing', after.plugin], clock, folder, random });
    await next.stop();
    expect(after.events.map(({ factId }) => factId)).to.deep.equal([lost.view.fact.id]);
    await node.stop();
  });

  it('of several processes are delivered once, by the holder of the lease', async () => {
    const { clocks, nodes, sinks, stop } = await startShared(3);
    const stored: string[] = [];
    for (let round = 0; round < 3; round += 1) {
      const written = Array.from({ length: 30 }, (_, at) =>
        (nodes[at % 3] as TestNode).facts.append(draft(), callerOf()),
      );
      stored.push(...(await Promise.all(written)).map(({ view }) => view.fact.id));
      await comesTrue(async () => {
        await clocks[0]?.advance(1_000);
        return sinks[0]?.events.length === stored.length;
      });
    }
    await stop();
    expect(sinks.map(({ events }) => events.length)).to.deep.equal([90, 0, 0]);
    expect(sinks[0]?.events.map(({ factId }) => factId)).to.have.members(stored);
  });

  it('are delivered once by another process when the holder of the lease stops', async () => {
    const { clocks, nodes, sinks, stop } = await startShared(2);
    const [first, second] = nodes as [TestNode, TestNode];
    const before = await first.facts.append(draft(), callerOf());
    await first.stop();
    const after = await second.facts.append(draft(), callerOf());
    await comesTrue(async () => {
      await clocks[1]?.advance(DELIVERY_INTERVAL_MS);
      return sinks[1]?.events.length === 1;
    });
    expect(sinks.map(({ events }) => events.map(({ factId }) => factId))).to.deep.equal([
      [before.view.fact.id],
      [after.view.fact.id],
    ]);
    await stop();
  });

  it('are delivered by another process after the holder crashed, whose late updates are refused', async () => {
    const { clocks, nodes, sinks, stop } = await startShared(2);
    const [first, second] = nodes as [TestNode, TestNode];
    const [early, late] = sinks as [RecordingSink, RecordingSink];
    early.paused = true;
    const { view } = await second.facts.append(draft(), callerOf());
    await comesTrue(async () => {
      await clocks[0]?.advance(1_000);
      return early.waiting > 0;
    });
    await comesTrue(async () => {
      // Again in each look, because a renewal that the crashed holder had begun may have followed.
      await endLeases(second.kernel.get(FactStore), FIRST_FENCE);
      await clocks[1]?.advance(1_000);
      return late.events.length === 1;
    });
    early.paused = false;
    await second.facts.append(draft(), callerOf());
    await stop();
    expect(late.events).to.have.length(2);
    expect(
      early.events.map(({ factId }) => factId),
      'delivered by the one that was paused',
    ).to.deep.equal([view.fact.id]);
    expect(first.logLines.filter(({ level }) => level === 'error')).to.deep.equal([]);
  });
});

/** Starts nodes on the store of another node without billing, each with its own clock and sink. */
const startShared = async (count: number) => {
  const owner = await startTestNode({ plugins: [] });
  const clocks = Array.from({ length: count }, () => createManualClock());
  const sinks = clocks.map(() => createRecordingSink());
  const nodes: TestNode[] = [];
  for (const [at, sink] of sinks.entries()) {
    const random = createSeededRandom(at + 2);
    const plugins = ['billing', sink.plugin];
    const clock = clocks[at] as (typeof clocks)[number];
    nodes.push(await startTestNode({ plugins, clock, random, folder: owner.folder }));
  }
  const stop = async (): Promise<void> => {
    for (const node of [...nodes, owner]) await node.stop();
  };
  return { clocks, sinks, nodes, stop };
};
