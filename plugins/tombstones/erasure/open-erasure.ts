import { join } from 'node:path';
import type { WithdrawalJournal } from '../../../kernel/internal-api.ts';
import {
  type Clock,
  type FactErasure,
  factAppended,
  factRestored,
  hasPermission,
  type Leases,
  type NodeSelf,
  type NodeSettings,
  type PluginContext,
  type Random,
  type Requires,
} from '../../../kernel/plugin-api.ts';
import type { AuditLog } from '../../audit/audit-api.ts';
import type { JobQueue } from '../../jobs/jobs-api.ts';
import type { NodeIdentity } from '../../node-info/node-info-api.ts';
import type { Tombstones } from '../tombstones-api.ts';
import { eraseArrived, eraseRestored } from './erase-arrivals.ts';
import { eraseRoute } from './erase-route.ts';
import { ERASE_JOB, StoredErasures } from './stored-erasures.ts';

export interface ErasureSettings {
  readonly enabled: boolean;
  readonly federationErase: boolean;
}

export interface ErasureNeeds {
  readonly tombstones: Tombstones;
  readonly erasure: FactErasure;
  readonly clock: Clock;
  readonly random: Random;
  readonly self: NodeSelf;
  readonly node: Pick<NodeSettings, 'dataFolder'>;
  readonly identity: NodeIdentity;
  readonly leases: Leases;
  readonly audit: AuditLog | undefined;
  readonly jobs: JobQueue | undefined;
}

type Context = Pick<
  PluginContext<Requires, ErasureSettings>,
  'config' | 'tables' | 'files' | 'log' | 'on' | 'every' | 'route'
>;

export const ERASED_FACTS: WithdrawalJournal = {
  file: 'erasures.jsonl',
  withdrawn: 'facts that were erased',
  listCommand: 'tombstone list',
  holdsErasures: true,
};

const LOOK_INTERVAL_MS = 1_000;

/**
 * Sets up the erasure of facts behind tombstones. Resolves once erased facts that a restored backup contains are
 * hidden.
 */
export const openErasure = async (
  { config, tables, files, log, on, every, route }: Context,
  needs: ErasureNeeds,
): Promise<StoredErasures> => {
  const { erasure, leases, jobs } = needs;
  const { federationErase: erasesForPeers } = config;
  const journal = join(needs.node.dataFolder, ERASED_FACTS.file);
  const erasures = new StoredErasures({ ...needs, tables, log, journal, erasesForPeers, isSealed: files.isSealing });
  route(eraseRoute(erasures));
  jobs?.handle(ERASE_JOB, {
    run: async ({ tenantId, payload, progress }) => ({
      receipt: await erasures.eraseFor(tenantId, String(payload['tombstone_id']), (done, total) =>
        progress({ done, total }),
      ),
    }),
    present: async (result) => result,
    steering: 'nobody',
    // Requires a key with admin, because the same entity may hold other keys with fewer permissions.
    covers: (_payload, { caller }) => hasPermission(caller, 'admin'),
  });
  if (config.enabled) {
    // Runs last, so that data which other handlers derive from the fact in this transaction is stored already.
    on(factAppended, (batch) => eraseArrived(batch, { tables, erasure }), { order: 'last' });
    on(factRestored, (batch) => eraseRestored(batch, { tables, erasure }), { order: 'last' });
  }
  await erasures.restore();
  const lease = leases.hold('tombstones erasures');
  every(LOOK_INTERVAL_MS, () => lease.whileHeld(() => erasures.resume()));
  return erasures;
};
