import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CORE_MIGRATIONS } from '../../../adapters/sql/core-migrations.ts';
import type { PluginTables } from '../../../kernel/plugins/plugin-definition.ts';
import { createPluginTables } from '../../../kernel/plugins/plugin-tables.ts';
import { createServedTenants } from '../../../kernel/tenants/served-tenants.ts';
import { JobClaims } from '../../../plugins/jobs/job-claims.ts';
import { JobStore } from '../../../plugins/jobs/job-store.ts';
import { jobsMigrations } from '../../../plugins/jobs/jobs-migrations.ts';
import type { QueueParts } from '../../../plugins/jobs/queue-parts.ts';
import { createSeededRandom } from '../../fakes/seeded-random.ts';
import type { StoreKind } from '../../kit/for-each-store.ts';
import { type PluginStore, pluginStore } from '../../kit/plugin-store.ts';
import { placeTestStore } from '../../kit/test-store.ts';

export const KEEP_MS = 60_000;

/** A queue on its own store, with a clock that the test moves. */
export interface OpenJobStore {
  readonly jobs: JobStore;
  readonly claims: JobClaims;
  readonly store: PluginStore;
  readonly tables: PluginTables;
  nowMs: number;
  close(): Promise<void>;
}

export const openJobStore = async (kind: StoreKind): Promise<OpenJobStore> => {
  const folder = await mkdtemp(join(tmpdir(), 'jobs-'));
  const place = await placeTestStore(kind, folder);
  const store = place.open();
  await store.migrate([...CORE_MIGRATIONS, ...jobsMigrations.map((step) => ({ ...step, owner: 'jobs' }))]);
  const tables = createPluginTables(store, 'jobs');
  const parts: QueueParts = {
    tables,
    random: createSeededRandom(),
    served: createServedTenants(),
    storeTime: async () => opened.nowMs,
    keepMs: KEEP_MS,
  };
  const opened: OpenJobStore = {
    nowMs: Date.UTC(2026, 2, 2, 9),
    store: pluginStore(store),
    tables,
    jobs: new JobStore(parts),
    claims: new JobClaims(parts),
    close: async () => {
      await store.close();
      await place.remove();
      await rm(folder, { recursive: true, force: true });
    },
  };
  return opened;
};
