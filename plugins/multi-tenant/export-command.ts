import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import type { Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { defineCommand, EXIT } from '../../kernel/command-api.ts';
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
  options: {
    out: { type: 'text', value: 'file', summary: 'write to this new file, which only you may read' },
  },
  async run({ arguments: { id }, options: { out }, use: { tenancy, self, transfer }, stdout, stderr, progress: show }) {
    await tenancy.administer(nodePrincipal(self.names), id);
    if (transfer === undefined) throw new ServiceError('unavailable', 'no plugin of this node exports tenants');
    const target = out === undefined ? stdout : await openNewFile(out);
    const total = await transfer.count(id);
    // A progress bar would mix with the lines of the export.
    const showsLines = out === undefined && (stdout as NodeJS.WriteStream).isTTY === true;
    const progress = show(showsLines ? null : total, 'facts');
    let facts = 0;
    let damaged: number;
    try {
      ({ damaged } = await transfer.export(id, async (lines, count) => {
        if (!target.write(lines.join(''))) await once(target, 'drain');
        facts += count;
        progress.update(Math.min(facts, total), facts);
      }));
      if (target !== stdout) await finished(target.end());
    } finally {
      progress.end();
    }
    stderr.write(`${facts} facts of tenant ${id} are exported\n`);
    if (damaged === 0) return EXIT.ok;
    stderr.write(leftOut(damaged));
    return EXIT.someRefused;
  },
});

const openNewFile = async (file: string): Promise<Writable> => {
  const stream = createWriteStream(file, { flags: 'wx', mode: 0o600 });
  try {
    await once(stream, 'open');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    throw new ServiceError('conflict', `${file} exists already`, { hint: 'name another file, or remove this one' });
  }
  return stream;
};
