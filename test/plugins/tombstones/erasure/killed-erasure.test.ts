import { expect } from 'chai';
import { openJson } from '../../../../kernel/plugin-api.ts';
import { SEALED as ERASURES } from '../../../../plugins/tombstones/erasure/erasure-row.ts';
import type { Row } from '../../../../ports/ports.ts';
import { forEachStore } from '../../../kit/for-each-store.ts';
import { type NodeProcess, NodeProcesses, type NodeReply } from '../../../kit/node-processes.ts';
import { waitUntil } from '../../../kit/wait-until.ts';
import { findTraces } from './find-traces.ts';

const CANARY = 'zebrafish-quartz-7f3a';
const VICTIM = 'user:victim';
const BATCHES = 6;
const FACTS_PER_BATCH = 500;
const env = { SVC_TOMBSTONES_ENABLED: 'true' };

interface Position {
  readonly phase: string;
  readonly at: unknown;
}

forEachStore('an erasure whose process is killed', (kind) => {
  it('is completed by the next erasure request', async function () {
    this.timeout(180_000);
    const run = await NodeProcesses.on(kind);
    try {
      const [killed] = (await run.start(1, env)) as [NodeProcess];
      for (let batch = 0; batch < BATCHES; batch += 1) {
        const facts = Array.from({ length: FACTS_PER_BATCH }, (_, n) => ({
          entity: VICTIM,
          relation: `memory:note-${batch}-${n}`,
          value: { type: 'text', v: `${CANARY} ${n}` },
          source: 'agent:s',
          scope: 'company',
        }));
        expect((await killed.request('POST', '/v1/facts/batch', facts)).status).to.equal(200);
      }
      const { id } = (await killed.request('POST', '/v1/tombstones', { entity_uri: VICTIM })).body;
      const path = `/v1/tombstones/${id}/erase`;
      const store = run.openStore();
      const asked: Promise<NodeReply | Error> = killed
        .request('POST', path, { confirm: VICTIM })
        .catch((error) => error);
      const erasure = async () => ((await store.table(ERASURES.table).select()) as Row[])[0];
      await waitUntil('facts are erased', 60_000, async () => {
        const row = await erasure();
        if (row === undefined) return false;
        const { phase, at } = openJson<Position>(ERASURES, row, 'position');
        return phase === 'facts' && at !== null;
      });
      await killed.end('SIGKILL');
      await asked;
      expect((await erasure())?.['state']).to.equal('running');
      expect(await findTraces(store, undefined, [CANARY])).to.include('facts.value_v');

      const [restarted] = (await run.start(1, env)) as [NodeProcess];
      const hidden = await restarted.request('GET', `/v1/facts?entity=${VICTIM}`);
      expect(hidden.body.facts).to.deep.equal([]);
      const receipt = await restarted.request('POST', path, { confirm: VICTIM });
      expect(receipt.status, JSON.stringify(receipt.body)).to.equal(200);
      expect(receipt.body.erased.facts).to.equal(BATCHES * FACTS_PER_BATCH);
      expect(await findTraces(store, kind === 'sqlite' ? run.folder : undefined, [CANARY])).to.deep.equal([]);
      const again = await restarted.request('POST', path, { confirm: VICTIM });
      expect(again.body).to.deep.equal(receipt.body);
    } finally {
      await run.stop();
    }
  });
});
