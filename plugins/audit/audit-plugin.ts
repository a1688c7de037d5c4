import {
  Clock,
  Cursors,
  definePlugin,
  Facts,
  httpRefused,
  KERNEL_API,
  NodeSelf,
  type PluginTransaction,
  Random,
  RejectionWindows,
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
import { exportAuditRoute, factAuditRoute, listAuditRoute } from './fact-audit-routes.ts';
import { RefusedCredentials } from './refused-credentials.ts';
import { StoredAudit } from './stored-audit.ts';

export const auditPlugin = definePlugin({
  name: 'audit',
  version: '0.9.0-alpha.1',
  kernelApi: KERNEL_API,
  summary: 'Records who did what, one entry for each stored fact among it, and answers questions about it',
  requires: { facts: Facts, clock: Clock, random: Random, self: NodeSelf, cursors: Cursors, vocabulary: Vocabulary },
  provides: [AuditLog, Audit],
  declares: [AUDIT_READ, FACT_WRITE, ADMIN_ACTION, CREDENTIAL_REFUSED, KEY_ROTATION],
  migrations: auditMigrations,
  setup({ use, tables, hooks, log, on, onStop, provide, route }) {
    const { facts, clock, random, self, cursors, vocabulary } = use;
    const store = new AuditStore({ tables, clock, random, names: self.names });
    const windows = new RejectionWindows();
    const add = async (entries: readonly AuditEntry[], transaction?: PluginTransaction): Promise<void> => {
      const tenantId = tenantOf(entries);
      if (transaction !== undefined) await store.add(entries, transaction);
      else await tables.write(tenantId, (_own, apart) => store.add(entries, apart));
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
    const audit = new StoredAudit({ store, facts, hooks });
    provide(Audit, audit);
    route(authAuditRoute(audit));
    route(adminAuditRoute(audit));
    route(listAuditRoute({ audit, clock, cursors }));
    route(factAuditRoute(audit));
    route(exportAuditRoute(audit));
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
