import {
  type Clock,
  type FactRestore,
  type HookCaller,
  type NodeSelf,
  type PluginTables,
  ServiceError,
} from '../../kernel/plugin-api.ts';
import { exportedOf, exportTenant } from './export-tenant.ts';
import { importLines } from './import-lines.ts';
import { type TenantTransfer, tenantTransfer } from './transfer-api.ts';
import { readHeader } from './transfer-format-json.ts';

export interface TransferParts {
  readonly tables: PluginTables;
  readonly clock: Clock;
  readonly hooks: HookCaller;
  readonly self: NodeSelf;
  readonly restore: FactRestore;
}

export const createTenantTransfer = (parts: TransferParts): TenantTransfer => ({
  count: (tenantId) => parts.tables.read((_own, snapshot) => snapshot.count(exportedOf(tenantId))),
  export: (tenantId, sink) => exportTenant(parts, tenantId, sink),
  async openImport(text) {
    const header = readHeader(text);
    const { self, hooks } = parts;
    if (header.serviceName !== self.names.name) {
      throw new ServiceError(
        'conflict',
        `the file comes from a service named ${header.serviceName}, this one is named ${self.names.name}`,
        { hint: `import it into a store that was started with SVC_SERVICE_NAME=${header.serviceName}` },
      );
    }
    const sections = new Map((await hooks.collect(tenantTransfer, {})).map((section) => [section.type, section]));
    return {
      header,
      sameNode: header.nodeId === self.nodeId,
      take: (lines) => importLines({ ...parts, sections, tenantId: header.tenantId }, lines),
    };
  },
});
