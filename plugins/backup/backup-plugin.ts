import { defineOwnPlugin } from '../../kernel/internal-api.ts';
import {
  Clock,
  erasureFiles,
  NodeSelf,
  NodeSettings,
  ObjectStores,
  optional,
  Random,
  ServiceError,
  StoreCopies,
  StoredRows,
  SuppressedFacts,
  Telemetry,
} from '../../kernel/plugin-api.ts';
import { JobQueue } from '../jobs/jobs-api.ts';
import { type UpkeepTask, upkeepTasks } from '../upkeep/upkeep-api.ts';
import { Backups, StoreSamples, StoreVerification, storeChecks } from './backup-api.ts';
import { backupCommands } from './backup-commands.ts';
import { createBackupRoute, listBackupsRoute } from './backup-routes.ts';
import { backupSettings, stayingHere, stayingThere } from './backup-settings.ts';
import { createFactCheck } from './check-facts.ts';
import { createRowCheck } from './check-rows.ts';
import { createStructureCheck } from './check-structure.ts';
import { createDrillTask } from './drill-task.ts';
import { measureBackups } from './measure-backups.ts';
import { BACKUP_JOB, createBackups, isOperator, runBackup } from './node-backups.ts';
import { restoreCommand } from './restore-command.ts';
import { createVerification } from './run-checks.ts';
import { createIncrementSender } from './send-increments.ts';
import { createSamples } from './store-samples.ts';
import { lockedLimit, readTarget } from './target-record.ts';
import { upgradeCommand } from './upgrade-command.ts';
import { verifyCommand } from './verify-command.ts';

export const backupPlugin = defineOwnPlugin({
  name: 'backup',
  summary: 'Backups of the store while it serves, their restoring, and checks that a store is whole',
  requires: {
    copies: StoreCopies,
    objects: ObjectStores,
    rows: StoredRows,
    clock: Clock,
    random: Random,
    node: NodeSettings,
    self: NodeSelf,
    telemetry: Telemetry,
    jobs: optional(JobQueue),
    suppressed: optional(SuppressedFacts),
  },
  provides: [Backups, StoreVerification, StoreSamples],
  config: backupSettings,
  commands: [backupCommands, restoreCommand, verifyCommand, upgradeCommand],
  inspect({ config }) {
    stayingThere(config);
    if (config.incrementSeconds > 0 && config.target === undefined) throw noTargetOfIncrements();
  },
  setup({ config, use, provide, route, on, hooks, tables, log, onStart, every, onStop }) {
    const { clock, jobs, node, telemetry } = use;
    const retention = stayingHere(config);
    const parts = { ...use, config, folder: config.folder, retention };
    const backups = createBackups(parts);
    provide(Backups, backups);
    route(createBackupRoute(backups));
    route(listBackupsRoute(backups));
    jobs?.handle(BACKUP_JOB, {
      run: (job) => runBackup(parts, job),
      // The requesting operator may have other keys with fewer permissions.
      present: async (result, { caller }) => (isOperator(caller) ? result : {}),
      covers: (_payload, { caller }) => isOperator(caller),
    });
    const factCheck = createFactCheck(tables, use.self.nodeId);
    on(storeChecks, () => factCheck);
    const rowCheck = createRowCheck(use.rows);
    on(storeChecks, () => rowCheck);
    const structureCheck = createStructureCheck(use.copies);
    on(storeChecks, () => structureCheck);
    provide(StoreVerification, createVerification({ tables, checks: () => hooks.collect(storeChecks, {}) }));
    provide(StoreSamples, createSamples({ ...use, tables }));
    const drill = createDrillTask(node.commandLine);
    on(upkeepTasks, () => drill);
    const task: UpkeepTask = {
      name: 'backup',
      summary: 'makes a backup of the store and removes those that are too many',
      per: 'node',
      start: ({ job }) => runBackup(parts, job),
    };
    on(upkeepTasks, () => task);
    const sender = config.incrementSeconds > 0 ? createIncrementSender({ ...use, config, log }) : undefined;
    if (sender !== undefined) {
      onStart(() => {
        if (use.copies.recordChanges === undefined) throw noIncrements();
        void sender.run();
      });
      every(AGAIN_MS, () => void sender.run());
      onStop(() => sender.stop());
    }
    measureBackups({ telemetry, clock, config, incrementAgeMs: async () => sender?.ageMs() });
    // A target that was given up may still lock backups, so this looks at the record alone.
    on(erasureFiles, async () => {
      const seen = await readTarget(config.folder);
      const limit = seen === undefined ? undefined : lockedLimit(seen, clock.nowMs());
      return limit === undefined ? [] : [limit];
    });
  },
});

/** After a failure, a new chain begins within this time. */
const AGAIN_MS = 10_000;

const noTargetOfIncrements = (): ServiceError =>
  new ServiceError('validation', 'increments have no target to go to', {
    hint: 'name one in SVC_BACKUP_TARGET, or leave SVC_BACKUP_INCREMENT_SECONDS out',
  });

const noIncrements = (): ServiceError =>
  new ServiceError('validation', 'the adapter of this store records no increments, only that of SQLite does', {
    hint: 'leave SVC_BACKUP_INCREMENT_SECONDS out; docs/guides/recover.md says how PostgreSQL goes back to a point in time',
  });
