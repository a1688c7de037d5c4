import { expect } from 'chai';
import { createPluginTables } from '../../../kernel/plugins/plugin-tables.ts';
import { DELIVERY_INTERVAL_MS } from '../../../plugins/billing/billing-delivery.ts';
import { NUMBERS_PER_LOOK } from '../../../plugins/billing/billing-store.ts';
import { FactStore } from '../../../ports/ports.ts';
import { comesTrue } from '../../kit/comes-true.ts';
import { sampleFact } from '../../kit/fact-samples.ts';
import { forEachStore } from '../../kit/for-each-store.ts';
import { startTestNode, type TestNode } from '../../kit/start-test-node.ts';
import { createRecordingSink, type RecordingSink } from './recording-sink.ts';

interface Event {
  readonly fact_id: string | null;
  readonly garden_id: string | null;
  readonly ts: string;
}

const nameOf = ({ fact_id: fact, garden_id: garden }: Event): string => fact ?? String(garden);

forEachStore('Billing events of gardens and of facts', () => {
  let sink: RecordingSink;
  let node: TestNode;
  let key: string;
  /** The charged events in their order. */
  let charged: string[];
  beforeEach(async () => {
    sink = createRecordingSink();
    node = await startTestNode({ plugins: ['keys', 'audit', 'facts', 'gardens', 'billing', sink.plugin] });
    key = await node.addKey({ permissions: ['read', 'write', 'admin'] });
    charged = [];
  });
  afterEach(() => node.stop());

  const ask = async (method: string, target: string, body?: unknown) => {
    const reply = await node.request(method, target, { key, ...(body === undefined ? {} : { body }) });
    expect(reply.status, reply.text).to.be.below(300);
    return reply.body;
  };
  const addFact = async (): Promise<void> => {
    const entity = `user:${charged.length}`;
    const value = { type: 'number', v: 1 };
    charged.push((await ask('POST', '/v1/facts', { entity, relation: 'memory:n', value, source: 'agent:s' })).id);
  };
  const addGarden = async (): Promise<void> => {
    charged.push((await ask('POST', '/v1/gardens', { slug: `herbs-${charged.length}`, name: 'Herbs' })).id);
  };
  const ledger = (query = '') => ask('GET', `/v1/admin/billing/events?${query}`);
  const listed = async (query = ''): Promise<string[]> => (await ledger(query)).events.map(nameOf);

  it('are listed in the order of creation, on one page and on many', async () => {
    for (const add of [addGarden, addFact, addFact, addGarden, addGarden, addFact]) {
      await node.clock.advance(1_000);
      await add();
    }
    const newestFirst = [...charged].reverse();
    const { events, total } = await ledger();
    expect(events.map(nameOf)).to.deep.equal(newestFirst);
    expect(total).to.equal(6);
    const instants = events.map(({ ts }: Event) => ts);
    expect(new Set(instants)).to.have.lengthOf(6);
    expect(instants).to.deep.equal([...instants].sort().reverse());
    const paged: string[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const page: { events: Event[]; total: number; cursor: string | null } = await ledger(
        `limit=1${cursor === '' ? '' : `&cursor=${cursor}`}`,
      );
      expect(page.total).to.equal(6);
      paged.push(...page.events.map(nameOf));
      cursor = page.cursor;
    }
    expect(paged).to.deep.equal(newestFirst);
    const [last, , third, fourth] = events as [Event, Event, Event, Event];
    expect(await listed(`since=${fourth.ts}&until=${third.ts}`)).to.deep.equal([nameOf(third), nameOf(fourth)]);
    expect(await listed(`since=${last.ts}`)).to.deep.equal([nameOf(last)]);
    expect(await listed('event_type=garden_created')).to.deep.equal([charged[4], charged[3], charged[0]]);
    expect((await ledger('event_type=garden_created')).total).to.equal(3);
    expect((await ledger('event_type=fact_written&entity_uri=agent:test')).total).to.equal(3);
    expect((await ledger(`until=${fourth.ts}&event_type=fact_written`)).total).to.equal(2);
  });

  it('are delivered to the sink once each, in the same order', async () => {
    for (const add of [addFact, addGarden, addFact, addGarden]) await add();
    await comesTrue(async () => {
      await node.clock.advance(DELIVERY_INTERVAL_MS);
      return sink.events.length === charged.length;
    });
    await node.stop();
    expect(sink.events.map(({ factId, gardenId }) => factId ?? gardenId)).to.deep.equal(charged);
  });

  it('are counted the same before and after their delivery', async () => {
    sink.failing = true;
    for (const add of [addFact, addGarden, addFact]) await add();
    expect((await ledger()).total).to.equal(3);
    sink.failing = false;
    await comesTrue(async () => {
      await node.clock.advance(1_000);
      return sink.events.length === 3;
    });
    expect((await ledger()).total).to.equal(3);
    await addFact();
    expect((await ledger()).total).to.equal(4);
    expect((await ledger('event_type=fact_written')).total).to.equal(3);
  });

  it('are found behind a long part of the ledger that holds no billing events', async () => {
    await addFact();
    const store = node.kernel.get(FactStore);
    const free = Array.from({ length: NUMBERS_PER_LOOK + 1 }, (_, n) => sampleFact(n));
    await store.write('default', (transaction) => transaction.insert(free));
    await addGarden();
    // Simulates an old store, in which all tenants shared the numbers of one log.
    await store.write('default', (transaction) => transaction.takeNumbers(1_000_000_000));
    await addFact();
    await comesTrue(async () => {
      await node.clock.advance(1_000);
      return sink.events.length === 3;
    });
    expect(sink.events.map(({ factId, gardenId }) => factId ?? gardenId)).to.deep.equal(charged);
    const tables = createPluginTables(store, 'billing');
    await comesTrue(async () => {
      const [position] = await tables.read((own) => own.select('billing_positions', { tenant_id: 'default' }));
      return position?.['facts'] === 2;
    });
  });
});
