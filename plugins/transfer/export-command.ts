import { countNoun, defineCommand, EXIT, EXPORT_OPTIONS } from '../../kernel/command-api.ts';
import { DEFAULT_TENANT } from '../../kernel/plugin-api.ts';
import { leftOut, TenantTransfer } from './transfer-api.ts';

export const exportCommand = defineCommand({
  name: 'export',
  topic: 'memory',
  summary: 'export all facts to a file, one JSON object per line',
  description:
    'Writes every fact of the store, with all that is needed to restore it exactly, to standard output or to a file. ' +
    'The node may run meanwhile. The command needs no more memory for a large store.',
  notes: `Damaged facts are left out, and exit code 2 says so. Keys and audit entries
belong to the node and are not exported. "import" takes the file into another
store, of either engine, that "init" has made.

A node with a key of the operator seals the file, unless --plain is given. Standard
output is never sealed.`,
  examples: ['fact-memory-node export --out memory.ndjson', 'fact-memory-node export | gzip > memory.ndjson.gz'],
  needs: 'node',
  requires: { transfer: TenantTransfer },
  options: {
    ...EXPORT_OPTIONS,
    tenant: { type: 'text', value: 'id', summary: 'tenant to export', default: DEFAULT_TENANT },
  },
  async run({ options, use: { transfer }, node, stdout, stderr, progress: show, writeExport }) {
    const { out, tenant } = options;
    const total = await transfer.count(tenant);
    // A progress bar would mix with the lines of the export.
    const showsLines = out === undefined && (stdout as NodeJS.WriteStream).isTTY === true;
    let facts = 0;
    const { damaged } = await writeExport(options, async (write) => {
      const progress = show(showsLines ? null : total, 'facts');
      try {
        return await transfer.export(tenant, async (lines, count) => {
          await write(lines.join(''));
          facts += count;
          progress.update(Math.min(facts, total), facts);
        });
      } finally {
        progress.end();
      }
    });
    stderr.write(`${countNoun(facts, 'fact')} exported from ${node.storeLocation}\n`);
    // The exports of an empty tenant and of a mistyped name look the same.
    if (facts === 0 && tenant !== DEFAULT_TENANT) stderr.write(`The tenant ${tenant} has no facts: check its name.\n`);
    if (damaged === 0) return EXIT.ok;
    stderr.write(leftOut(damaged));
    return EXIT.someRefused;
  },
});
