import { defineOwnPlugin, objectSchema } from '../../kernel/internal-api.ts';
import {
  Clock,
  Cursors,
  DEFAULT_TENANT,
  Facts,
  httpAdmit,
  httpRefused,
  Leases,
  NodeSelf,
  Random,
  SignatureWork,
  Vocabulary,
} from '../../kernel/plugin-api.ts';
import { storeChecks } from '../backup/backup-api.ts';
import { ADMIN_ACTION, AUDIT_READ, Audit, AuditLog, CREDENTIAL_REFUSED, KEY_ROTATION } from './audit-api.ts';
import { auditCommands } from './audit-commands.ts';
import { FACT_ENTRY } from './audit-entry-json.ts';
import { adminAuditRoute, authAuditRoute } from './audit-log-routes.ts';
import { auditContents, auditMigrations } from './audit-migrations.ts';
import { AuditStore } from './audit-store.ts';
import { FACT_WRITE } from './audit-words.ts';
import { createEntryCheck } from './chain/check-entries.ts';
import { newestDocument, signedLog, signerOf } from './chain/entry-checkpoints.ts';
import { CheckpointKeeper } from './chain/keep-checkpoints.ts';
import { Retention } from './chain/retention.ts';
import { verifyLog } from './chain/verify-log.ts';
import { verifyAuditRoute } from './chain/verify-route.ts';
import { exportAuditRoute, factAuditRoute, listAuditRoute } from './fact-audit-routes.ts';
import { ReadCounts } from './read-counts.ts';
import { RecordedLog } from './recorded-log.ts';
import { RefusedCredentials } from './refused-credentials.ts';
import { StoredAudit } from './stored-audit.ts';
import { auditUseRoute } from './use-route.ts';

/** The name of the lease that only one process holds: the one that verifies the logs. */
const LEASE = 'audit';
/** The maximum time for which new entries have no checkpoint. */
const KEEP_INTERVAL_MS = 60_000;

/** The dimension of routes that read facts without a recall. */
const READ_DIMENSION = 'fact_read';
const NO_HEADERS = {};

interface AuditSettings {
  /** The number of days after which entries are deleted; 0 means never. */
  readonly retentionDays: number;
}

const settings = objectSchema<AuditSettings>({
  retentionDays: {
    type: 'integer',
    minimum: 0,
    maximum: 36_500,
    default: 0,
    env: 'SVC_AUDIT_RETENTION_DAYS',
    description: 'days after which entries of the audit log are deleted; 0 keeps all',
  },
});

export const auditPlugin = defineOwnPlugin({
  name: 'audit',
  summary: 'Records who did what, one entry for each stored fact among it, and answers questions about it',
  requires: {
    facts: Facts,
    clock: Clock,
    random: Random,
    self: NodeSelf,
    cursors: Cursors,
    vocabulary: Vocabulary,
    leases: Leases,
    work: SignatureWork,
  },
  provides: [AuditLog, Audit],
  declares: [FACT_ENTRY, AUDIT_READ, FACT_WRITE, ADMIN_ACTION, CREDENTIAL_REFUSED, KEY_ROTATION],
  commands: [auditCommands],
  migrations: auditMigrations,
  contents: auditContents,
  config: settings,
  setup({ config, use, tables, hooks, log, on, onStop, every, provide, route }) {
    const { retentionDays } = config;
    const { facts, clock, random, self, cursors, vocabulary, leases, work } = use;
    const store = new AuditStore({ tables, clock, random, names: self.names });
    const recorded = new RecordedLog({ store, clock, log, vocabulary });
    provide(AuditLog, recorded);
    const refused = new RefusedCredentials({ clock, log, add: (entries) => store.addApart(entries, DEFAULT_TENANT) });
    on(httpRefused, (request) => refused.record(request));
    onStop(() => refused.end());
    onStop(() => recorded.buffer.settleAll());
    const reads = new ReadCounts({ tables, clock, log });
    on(httpAdmit, ({ caller, dimension }) => {
      if (dimension === READ_DIMENSION) reads.count(caller);
      return NO_HEADERS;
    });
    every(KEEP_INTERVAL_MS, () => reads.settle());
    onStop(() => reads.settle());
    const keeper = new CheckpointKeeper({ tables, clock, random, log, retentionDays });
    const retention = new Retention({ tables, clock, self, log, retentionDays });
    const lease = leases.hold(LEASE);
    every(KEEP_INTERVAL_MS, async () => {
      if (!(await lease.attempt())) return;
      const signer = await signerOf(hooks);
      await lease.whileHeld(async (confirm) => {
        await keeper.keepAll(signedLog(self, signer));
        await retention.keepAll(signer, confirm);
      });
    });
    const audit = new StoredAudit({
      store,
      facts,
      hooks,
      reads,
      settle: (tenantId) => recorded.buffer.settle(tenantId),
      verify: (caller, afterSeq) => verifyLog(caller, afterSeq, { tables, hooks, self, work, clock, retentionDays }),
      checkpointOf: (tenantId) => newestDocument(tables, tenantId, self),
    });
    provide(Audit, audit);
    const check = createEntryCheck(audit, self);
    on(storeChecks, () => check);
    route(authAuditRoute(audit));
    route(adminAuditRoute(audit));
    route(listAuditRoute({ audit, clock, cursors }));
    route(auditUseRoute({ audit, clock, cursors }));
    route(factAuditRoute(audit));
    route(exportAuditRoute(audit));
    route(verifyAuditRoute(audit));
  },
});
