import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { BillingLedger } from '../../../plugins/billing/billing-api.ts';
import { createSeededRandom } from '../../fakes/seeded-random.ts';
import { createPrincipal } from '../../kit/create-principal.ts';
import { forEachStore } from '../../kit/for-each-store.ts';
import { startTestNode } from '../../kit/start-test-node.ts';
import { placeTestStore } from '../../kit/test-store.ts';
import { createRecordingSink } from './recording-sink.ts';

const writer = createPrincipal({ entityUri: 'agent:writer' });
const admin = createPrincipal({ permissions: new Set(['admin']) });

forEachStore('Facts that are stored while billing is off', (kind) => {
  let folder: string;
  let runs = 0;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'billing-off-'));
  });
  afterEach(async () => {
    await (await placeTestStore(kind, folder)).remove();
    await rm(folder, { recursive: true, force: true });
  });

  /** Runs a node that stores one fact. Returns the id of the fact, the delivered events, and the final ledger. */
  const run = async (bills: boolean) => {
    const sink = createRecordingSink();
    const plugins = bills ? ['billing', sink.plugin] : [];
    const node = await startTestNode({ plugins, folder, random: createSeededRandom(++runs) });
    const value = { type: 'number', v: runs, interpretAs: 'content' } as const;
    const draft = { entity: `user:${runs}`, relation: 'memory:n', value, source: 'agent:s', confidence: 1 };
    const { view } = await node.facts.append({ ...draft, scope: 'local' }, writer);
    const ledger = bills ? await node.kernel.get(BillingLedger).events(admin, {}) : undefined;
    await node.stop();
    return { id: view.fact.id, delivered: sink.events.map(({ factId }) => factId), ledger };
  };

  it('are never charged for, even after billing is on again', async () => {
    const billed: string[] = [];
    await run(false);
    for (let round = 0; round < 2; round += 1) {
      const { id, delivered, ledger } = await run(true);
      billed.unshift(id);
      expect(delivered).to.deep.equal([id]);
      expect(ledger?.events.map(({ event }) => event.factId)).to.deep.equal(billed);
      expect(ledger?.total).to.equal(billed.length);
      await run(false);
    }
  });
});
