import { type Clock, defineRef, equals, type FactStore, ServiceError } from '../../ports/ports.ts';
import type { Random } from '../crypto/random.ts';
import type { HookCaller } from '../hooks/define-hook.ts';
import type { NodeSelf } from '../identity/node-self.ts';
import { exportTenant, type LineSink } from './export-tenant.ts';
import { type ImportedLines, importLines, type NumberedText } from './import-lines.ts';
import { readHeader, type TransferHeader } from './transfer-format-json.ts';
import { tenantTransfer } from './transfer-hooks.ts';

export interface TransferParts {
  readonly store: FactStore;
  readonly clock: Clock;
  readonly random: Random;
  readonly hooks: HookCaller;
  readonly self: NodeSelf;
}

/**
 * Takes a tenant out of one store and into another, of any engine: facts with their identifiers and origin stamps, and
 * all that follows from them. `README.md` beside this file describes the lines.
 */
export interface TenantTransfer {
  /** Facts that an export would hold now. */
  count(tenantId: string): Promise<number>;
  /** Hands over every line and answers the number of facts. Never has more than one page in memory. */
  export(tenantId: string, sink: LineSink): Promise<number>;
  /**
   * Reads the first line of an export. Throws `validation`, or `conflict` when it comes from a service of another name.
   */
  openImport(header: string): Promise<TenantImport>;
}

/** One file on its way in. */
export interface TenantImport {
  readonly header: TransferHeader;
  /** False when the file comes from another node than this one. */
  readonly sameNode: boolean;
  /** Takes in lines in one transaction, in the order of the file. What is known already changes nothing. */
  take(lines: readonly NumberedText[]): Promise<ImportedLines>;
}

export const TenantTransfer = defineRef<TenantTransfer>('kernel.tenant-transfer');

export const createTenantTransfer = (parts: TransferParts): TenantTransfer => ({
  count: (tenantId) => parts.store.read((snapshot) => snapshot.count(equals('tenantId', tenantId))),
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
