import { join } from 'node:path';
import { defineOwnPlugin, keepWithdrawals, objectSchema, type WithdrawalJournal } from '../../kernel/internal-api.ts';
import {
  Clock,
  Cursors,
  hasPermission,
  NodeSelf,
  NodeSettings,
  optional,
  ServedTenants,
  TenantRemoval,
} from '../../kernel/plugin-api.ts';
import { AuditLog } from '../audit/audit-api.ts';
import { JobQueue } from '../jobs/jobs-api.ts';
import { NodeIdentity } from '../node-info/node-info-api.ts';
import { TenantTransfer } from '../transfer/transfer-api.ts';
import { type DirectoryParts, DirectoryService, ERASURE_JOB } from './directory-service.ts';
import { eraseRestored } from './erase-restored.ts';
import { exportTenantRoute } from './export-tenant-route.ts';
import { endOfSuspension, suspensions } from './kept-suspensions.ts';
import { Tenancy, Tenants } from './multi-tenant-api.ts';
import { multiTenantContents, multiTenantMigrations, SEALED } from './multi-tenant-migrations.ts';
import { MULTI_TENANT_DISABLED } from './multi-tenant-words.ts';
import { createTenancy, singleTenancy } from './node-tenancy.ts';
import { ERASED_TENANTS, ReceiptFile } from './receipt-file.ts';
import { tenantCommands } from './tenant-commands.ts';
import { TENANTS_CHANGED, TenantDirectory } from './tenant-directory.ts';
import { TenantEraser } from './tenant-eraser.ts';
import { TENANT, TENANT_REPORT } from './tenant-json.ts';
import {
  changeTenantRoute,
  createTenantRoute,
  eraseTenantRoute,
  getTenantRoute,
  listTenantsRoute,
} from './tenant-routes.ts';
import { TenantStandings } from './tenant-standings.ts';

interface Settings {
  readonly enabled: boolean;
}

const SUSPENDED_TENANTS: WithdrawalJournal = {
  file: 'suspended-tenants',
  withdrawn: 'suspended tenants',
  listCommand: 'tenant list',
};

export const multiTenantPlugin = defineOwnPlugin({
  name: 'multi-tenant',
  summary: 'Keeps the tenants of a node apart, and lets its operator make, suspend, export and erase them',
  requires: {
    clock: Clock,
    cursors: Cursors,
    self: NodeSelf,
    node: NodeSettings,
    served: ServedTenants,
    removal: TenantRemoval,
    audit: optional(AuditLog),
    jobs: optional(JobQueue),
    identity: optional(NodeIdentity),
    transfer: optional(TenantTransfer),
  },
  provides: [Tenancy, Tenants],
  declares: [TENANT, TENANT_REPORT, MULTI_TENANT_DISABLED],
  config: objectSchema<Settings>({
    enabled: {
      type: 'boolean',
      default: false,
      env: 'SVC_MULTI_TENANT_ENABLED',
      description: "whether a key acts for its own tenant; otherwise every key acts for the tenant 'default'",
    },
  }),
  migrations: multiTenantMigrations,
  contents: multiTenantContents,
  journals: [SUSPENDED_TENANTS, ERASED_TENANTS],
  sealed: [SEALED],
  commands: [tenantCommands],
  async setup(context) {
    const { config, use, tables, files, hooks, log, provide, route, onSignal, onStart } = context;
    const { clock, cursors, self, served, removal, audit, jobs, identity, transfer } = use;
    const directory = new TenantDirectory(tables);
    const standings = new TenantStandings({ directory, served });
    const signing = { nodeId: self.nodeId, identity, isSealed: files.isSealing };
    const isOn = config.enabled;
    const receipts = isOn && identity !== undefined ? new ReceiptFile(use.node.dataFolder, identity, log) : undefined;
    const eraser = new TenantEraser({ directory, standings, removal, clock, audit, signing, receipts });
    const kept = keepWithdrawals(context, {
      topic: TENANTS_CHANGED,
      tables,
      clock,
      file: join(use.node.dataFolder, SUSPENDED_TENANTS.file),
      kinds: isOn ? [suspensions(directory, () => standings.reload())] : [],
    });
    const resumes: DirectoryParts['resumes'] = (tenant) => kept.add([endOfSuspension(tenant)]);
    const tenants = new DirectoryService({
      isOn,
      resumes,
      tables,
      directory,
      standings,
      eraser,
      hooks,
      clock,
      audit,
      jobs,
    });
    const tenancy = isOn ? createTenancy({ directory, standings, tenants }) : singleTenancy;
    provide(Tenancy, tenancy);
    provide(Tenants, tenants);
    route(listTenantsRoute({ tenants, clock, cursors }));
    route(getTenantRoute(tenants));
    route(createTenantRoute(tenants));
    route(changeTenantRoute(tenants));
    route(eraseTenantRoute(tenants));
    route(exportTenantRoute({ tenancy, transfer, audit }));
    if (!isOn) return;
    await standings.reload();
    onSignal(TENANTS_CHANGED, () => standings.reload());
    jobs?.handle(ERASURE_JOB, {
      run: async ({ payload, signal, progress }) => {
        // Passes no total, because rows are counted only when they are deleted.
        const onProgress = (done: number): void => progress({ done, total: null });
        await eraser.run(String(payload['tenant_id']), { signal, onProgress });
        return {};
      },
      steering: 'nobody',
      // Requires `admin` again, because another key of the same operator may have fewer permissions.
      covers: (_payload, { caller }) => hasPermission(caller, 'admin'),
    });
    onStart(async () => {
      await tenants.adopt();
      if (receipts !== undefined && (await eraseRestored(directory, receipts, clock.nowMs()))) await standings.reload();
      await tenants.resumeErasures(self.names.systemSource);
    });
  },
});
