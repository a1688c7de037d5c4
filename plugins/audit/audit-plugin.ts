import {
  Clock,
  Cursors,
  definePlugin,
  Facts,
  httpRefused,
  KERNEL_API,
  Leases,
  NodeSelf,
  type PluginTransaction,
  Random,
  RejectionWindows,
  SignatureWork,
  Vocabulary,
} from '../../kernel/plugin-api.ts';
import {
  ADMIN_ACTION,
  AUDIT_READ,
  Audit,
  type AuditEntry,
  AuditEvents,
  AuditLog,
  CREDENTIAL_REFUSED,
  FACT_WRITE,
  KEY_ROTATION,
} from './audit-api.ts';
import { adminAuditRoute, authAuditRoute } from './audit-log-routes.ts';
import { auditMigrations } from './audit-migrations.ts';
import { AuditStore } from './audit-store.ts';
import { signedLog, signerOf } from './chain/entry-checkpoints.ts';
import { CheckpointKeeper } from './chain/keep-checkpoints.ts';
import { verifyLog } from './chain/verify-log.ts';
import { verifyAuditRoute } from './chain/verify-route.ts';
import { exportAuditRoute, factAuditRoute, listAuditRoute } from './fact-audit-routes.ts';
import { RefusedCredentials } from './refused-credentials.ts';
import { StoredAudit } from './stored-audit.ts';

/** The lease of the process that verifies the logs. */
const LEASE = 'audit';
/** Entries of this time are in no checkpoint yet. */
const KEEP_INTERVAL_MS = 60_000;

export const auditPlugin = definePlugin({
  name: 'audit',
  version: '0.9.0-alpha.1',
  kernelApi: KERNEL_API,
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
  declares: [AUDIT_READ, FACT_WRITE, ADMIN_ACTION, CREDENTIAL_REFUSED, KEY_ROTATION],
  migrations: auditMigrations,
  setup({ use, tables, hooks, log, on, onStop, every, provide, route }) {
    const { facts, clock, random, self, cursors, vocabulary, leases, work } = use;
    const store = new AuditStore({ tables, clock, random, names: self.names });
    const windows = new RejectionWindows();
    const add = async (entries: readonly AuditEntry[], transaction?: PluginTransaction): Promise<void> => {
      const tenantId = tenantOf(entries);
      if (transaction !== undefined) await store.add(entries, tenantId, transaction);
      else await store.addApart(entries, tenantId);
    };

    const refuseUnfit = ({ event }: AuditEntry): void => {
      if (event.id === FACT_WRITE.id) {
        throw new Error(`the audit event ${event.id} is recorded, but stored facts have that entry by themselves`);
      }
      if (vocabulary.find(AuditEvents, event.id) === undefined) {
        throw new Error(`the audit event ${event.id} is recorded, but no enabled plugin declares it`);
      }
    };
    provide(AuditLog, {
      async record(given: AuditEntry | readonly AuditEntry[], transaction?: PluginTransaction) {
        const entries = [given].flat();
        entries.forEach(refuseUnfit);
        if (entries.length > 0) await add(entries, transaction);
      },
      async recordRejection(entry) {
        refuseUnfit(entry);
        const admitted = windows.admit([entry.tenantId, entry.entityUri, entry.event.id], entry, clock.monotonicMs());
        if (admitted !== null) await add([admitted]);
      },
    });
    const refused = new RefusedCredentials({ clock, log, add });
    on(httpRefused, (request) => refused.record(request));
    onStop(() => refused.end());
    const keeper = new CheckpointKeeper({ tables, clock, random, log });
    const lease = leases.hold(LEASE);
    every(KEEP_INTERVAL_MS, async () => {
      if (!(await lease.attempt())) return;
      const signer = await signerOf(hooks);
      await lease.whileHeld(() => keeper.keepAll(signedLog(self, signer)));
    });
    const audit = new StoredAudit({
      store,
      facts,
      hooks,
      verify: (caller, afterSeq) => verifyLog(caller, afterSeq, { tables, hooks, self, work }),
    });
    provide(Audit, audit);
    route(authAuditRoute(audit));
    route(adminAuditRoute(audit));
    route(listAuditRoute({ audit, clock, cursors }));
    route(factAuditRoute(audit));
    route(exportAuditRoute(audit));
    route(verifyAuditRoute(audit));
  },
});

/** Entries are numbered in commit order per tenant, and one transaction keeps that order for one tenant only. */
const tenantOf = (entries: readonly AuditEntry[]): string => {
  const [first] = entries;
  if (first === undefined || entries.some(({ tenantId }) => tenantId !== first.tenantId)) {
    throw new Error('entries recorded together belong to one tenant');
  }
  return first.tenantId;
};
