import { countNoun, defineCommand, EXIT, EXPORT_OPTIONS } from '../../kernel/command-api.ts';
import { NodeSelf, nodePrincipal, optional, ServiceError } from '../../kernel/plugin-api.ts';
import { leftOut, TenantTransfer } from '../transfer/transfer-api.ts';
import { Tenancy } from './multi-tenant-api.ts';

export const exportTenantCommand = defineCommand({
  name: 'export',
  summary: 'write the facts of a tenant, one JSON object per line',
  description: 'Does what "export --tenant" does, for a tenant that the directory knows.',
  needs: 'node',
  requires: { tenancy: Tenancy, self: NodeSelf, transfer: optional(TenantTransfer) },
  arguments: { id: { summary: 'id of the tenant, as "fact-memory-node tenant list" shows it' } },
  options: EXPORT_OPTIONS,
  async run({ arguments: { id }, options, use, stdout, stderr, progress: show, writeExport }) {
    const { tenancy, self, transfer } = use;
    await tenancy.administer(nodePrincipal(self.names), id);
    if (transfer === undefined) throw new ServiceError('unavailable', 'no plugin of this node exports tenants');
    const total = await transfer.count(id);
    // A progress bar would mix with the lines of the export.
    const showsLines = options.out === undefined && (stdout as NodeJS.WriteStream).isTTY === true;
    let facts = 0;
    const { damaged } = await writeExport(options, async (write) => {
      const progress = show(showsLines ? null : total, 'facts');
      try {
        return await transfer.export(id, async (lines, count) => {
          await write(lines.join(''));
          facts += count;
          progress.update(Math.min(facts, total), facts);
        });
      } finally {
        progress.end();
      }
    });
    stderr.write(`exported: ${countNoun(facts, 'fact')} of tenant ${id}\n`);
    if (damaged === 0) return EXIT.ok;
    stderr.write(leftOut(damaged));
    return EXIT.someRefused;
  },
});
