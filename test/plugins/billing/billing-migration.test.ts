import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { CORE_MIGRATIONS } from '../../../adapters/sql/core-migrations.ts';
import { planMigrations } from '../../../kernel/plugins/plan-migrations.ts';
import { createPluginTables } from '../../../kernel/plugins/plugin-tables.ts';
import { BillingLedger } from '../../../plugins/billing/billing-api.ts';
import { billingPlugin } from '../../../plugins/billing/billing-plugin.ts';
import type { StoredFact, WriteRecord } from '../../../ports/ports.ts';
import { createSeededRandom } from '../../fakes/seeded-random.ts';
import { createPrincipal } from '../../kit/create-principal.ts';
import { SAMPLE_MS, sampleFact, sampleId } from '../../kit/fact-samples.ts';
import { forEachStore } from '../../kit/for-each-store.ts';
import { startTestNode } from '../../kit/start-test-node.ts';
import { placeTestStore } from '../../kit/test-store.ts';
import { createRecordingSink } from './recording-sink.ts';

const LEDGER_MIGRATION = 44;

const admin = (tenantId: string) => createPrincipal({ permissions: new Set(['admin']), tenantId });

const recordOf = (fact: StoredFact, tags: readonly string[]): WriteRecord => ({
  writer: fact.assertedBy ?? '',
  writerSub: null,
  writerKeyId: null,
  tags,
  salt: null,
  link: null,
});

/** A row of the table that had one for every event. */
const oldEvent = (seq: number, of: { fact: number } | { garden: string }, tenantId = 'default') => ({
  seq,
  tenant_id: tenantId,
  event_type: 'fact' in of ? 'fact_written' : 'garden_created',
  entity_uri: 'agent:admin',
  fact_id: 'fact' in of ? sampleId(of.fact) : null,
  garden_id: 'garden' in of ? of.garden : null,
  ts_ms: SAMPLE_MS + seq,
});

forEachStore('A billing ledger that had a row for every event', (kind) => {
  let folder: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'billing-'));
    const place = await placeTestStore(kind, folder);
    const store = place.open();
    const all = planMigrations(CORE_MIGRATIONS, [billingPlugin], []);
    await store.migrate(all.filter(({ number, owner }) => owner !== 'billing' || number < LEDGER_MIGRATION));
    const facts = [1, 2, 3, 4].map((n) => sampleFact(n, { feed: { wallMs: SAMPLE_MS + n, counter: 0 } }));
    await store.write('default', async (transaction) => {
      await transaction.lockClock();
      // The third is one that the node wrote itself.
      const records = facts.map((fact) => recordOf(fact, fact.id === sampleId(3) ? [] : ['billing']));
      await transaction.insert(facts, records);
      await transaction.saveClock({ wallMs: SAMPLE_MS + 5, counter: 0 });
    });
    await store.write('other', (transaction) => transaction.insert([sampleFact(5, { tenantId: 'other' })]));
    await createPluginTables(store, 'billing').write('default', async (own) => {
      await own.insertRows('billing_events', [
        oldEvent(1, { garden: 'g1' }),
        oldEvent(2, { fact: 1 }),
        oldEvent(3, { fact: 2 }),
        oldEvent(4, { garden: 'g4' }),
        oldEvent(5, { garden: 'g5' }),
        oldEvent(6, { fact: 4 }),
        oldEvent(7, { garden: 'g7' }),
        oldEvent(8, { garden: 'g8' }, 'other'),
      ]);
      await own.insertRows('billing_positions', [{ tenant_id: 'default', seq: 4 }]);
    });
    await store.close();
  });
  after(async () => {
    await (await placeTestStore(kind, folder)).remove();
    await rm(folder, { recursive: true, force: true });
  });

  const start = async (seed: number) => {
    const sink = createRecordingSink();
    const node = await startTestNode({ plugins: ['billing', sink.plugin], folder, random: createSeededRandom(seed) });
    return { sink, node };
  };
  const delivered = ({ events }: ReturnType<typeof createRecordingSink>, tenantId: string) =>
    events.filter((event) => event.tenantId === tenantId).map(({ factId, gardenId }) => factId ?? gardenId);

  it('keeps its events in their order on every page, and delivers those that were not delivered', async () => {
    const { node, sink } = await start(1);
    const ledger = node.kernel.get(BillingLedger);
    const whole = await ledger.events(admin('default'), {});
    expect(whole.events.map(({ event }) => event.factId ?? event.gardenId)).to.deep.equal([
      'g7',
      sampleId(4),
      'g5',
      'g4',
      sampleId(2),
      sampleId(1),
      'g1',
    ]);
    expect(whole.total).to.equal(7);
    for (const [at, { seq }] of whole.events.entries()) {
      const page = await ledger.events(admin('default'), {}, { beforeSeq: seq, limit: 1 });
      expect(page.events).to.deep.equal(whole.events.slice(at + 1, at + 2));
      expect(page).to.include({ total: 7, more: at < 5 });
    }
    expect((await ledger.events(admin('other'), {})).events.map(({ event }) => event.gardenId)).to.deep.equal(['g8']);
    await node.stop();
    expect(delivered(sink, 'default')).to.deep.equal(['g5', sampleId(4), 'g7']);
    expect(delivered(sink, 'other')).to.deep.equal(['g8']);
  });

  it('delivers nothing again after the next start', async () => {
    const again = await start(2);
    await again.node.stop();
    expect(again.sink.events).to.deep.equal([]);
  });
});
