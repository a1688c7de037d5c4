import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { CORE_MIGRATIONS } from '../../../adapters/sql/core-migrations.ts';
import { planMigrations } from '../../../kernel/plugins/plan-migrations.ts';
import { createPluginTables } from '../../../kernel/plugins/plugin-tables.ts';
import { createServedTenants } from '../../../kernel/tenants/served-tenants.ts';
import { JobClaims } from '../../../plugins/jobs/job-claims.ts';
import { jobOf, QUEUE } from '../../../plugins/jobs/job-row.ts';
import { jobsPlugin } from '../../../plugins/jobs/jobs-plugin.ts';
import { createSeededRandom } from '../../fakes/seeded-random.ts';
import { forEachStore } from '../../kit/for-each-store.ts';
import { placeTestStore } from '../../kit/test-store.ts';

/** The migration that adds progress and checkpoints to jobs. */
const PROGRESS = 73;
const NOW_MS = Date.UTC(2026, 2, 2, 9);
const TYPE = 'test.long';

const oldJob = (id: string, members: object) => ({
  job_id: id,
  tenant_id: 'default',
  job_type: TYPE,
  due_ms: NOW_MS - 1,
  fence: 0,
  attempts: 0,
  creator: 'agent:creator',
  payload: JSON.stringify({ of: id }),
  estimated_s: 1,
  created_ms: NOW_MS - 10,
  completed_ms: null,
  result: null,
  dedupe: null,
  dedupe_until: null,
  ...members,
});

forEachStore('Jobs that were queued before they showed their progress', (kind) => {
  it('keep what they stand for, are done, and can be given a checkpoint', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'jobs-'));
    const place = await placeTestStore(kind, folder);
    const store = place.open();
    try {
      const all = planMigrations(CORE_MIGRATIONS, [jobsPlugin], []);
      expect(all.some(({ number }) => number === PROGRESS)).to.equal(true);
      await store.migrate(all.filter(({ number }) => number !== PROGRESS));
      const tables = createPluginTables(store, 'jobs');
      await tables.write('default', (own) =>
        own.insertRows(QUEUE, [
          oldJob('waiting', { status: 'pending', dedupe: 'digest-1', dedupe_until: 'ended' }),
          oldJob('ended', { status: 'done', due_ms: NOW_MS + 1, completed_ms: NOW_MS - 5, result: '{"found":7}' }),
        ]),
      );
      await store.migrate(all);

      const stored = async (id: string) =>
        tables.read(async (own) => jobOf((await own.select(QUEUE, { tenant_id: 'default', job_id: id }))[0] ?? {}));
      const fresh = { progress: null, checkpoint: null, isEmptied: false };
      expect(await stored('waiting')).to.include({ ...fresh, dedupe: 'digest-1', dedupeKey: 'digest-1' });
      expect(await stored('ended')).to.deep.include({ ...fresh, dedupeKey: null, result: { found: 7 } });

      const claims = new JobClaims({
        tables,
        random: createSeededRandom(),
        served: createServedTenants(),
        storeTime: async () => NOW_MS,
        keepMs: 60_000,
      });
      const [due, ...others] = await claims.due([TYPE], 10);
      expect([due?.id, others]).to.deep.equal(['waiting', []]);
      const claimed = due && (await claims.claim(due, 5));
      if (claimed === undefined) throw new Error('the job was not claimed');
      await claims.checkpoint(claimed, { page: 3 });
      await claims.report(claimed, { done: 3, total: 9, ratePerSecond: 1.5 });
      expect(await stored('waiting')).to.deep.include({
        payload: { of: 'waiting' },
        checkpoint: { page: 3 },
        progress: { done: 3, total: 9, ratePerSecond: 1.5 },
      });
    } finally {
      await store.close();
      await place.remove();
      await rm(folder, { recursive: true, force: true });
    }
  });
});
