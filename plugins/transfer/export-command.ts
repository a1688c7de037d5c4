import { createWriteStream, rmSync } from 'node:fs';
import type { Writable } from 'node:stream';
import { countNoun, defineCommand, EXIT } from '../../kernel/command-api.ts';
import { DEFAULT_TENANT, ServiceError } from '../../kernel/plugin-api.ts';
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
store, of either engine, that "init" has made.`,
  examples: ['fact-memory-node export --out memory.ndjson', 'fact-memory-node export | gzip > memory.ndjson.gz'],
  needs: 'node',
  requires: { transfer: TenantTransfer },
  options: {
    out: { type: 'text', value: 'file', summary: 'file to write, readable by you alone; it must not exist yet' },
    tenant: { type: 'text', value: 'id', summary: 'tenant to export', default: DEFAULT_TENANT },
  },
  async run({ options: { out, tenant }, use: { transfer }, node, stdout, stderr, progress: show }) {
    const total = await transfer.count(tenant);
    const target = await openTarget(out, stdout);
    // A progress bar would mix with the lines of the export.
    const showsLines = out === undefined && (stdout as NodeJS.WriteStream).isTTY === true;
    const progress = show(showsLines ? null : total, 'facts');
    let facts = 0;
    let damaged: number;
    try {
      ({ damaged } = await transfer.export(tenant, async (lines, count) => {
        await target.write(lines.join(''));
        facts += count;
        progress.update(Math.min(facts, total), facts);
      }));
      await target.end();
    } catch (error) {
      target.discard();
      throw error;
    } finally {
      progress.end();
    }
    stderr.write(`${countNoun(facts, 'fact')} exported from ${node.storeLocation}\n`);
    if (damaged === 0) return EXIT.ok;
    stderr.write(leftOut(damaged));
    return EXIT.someRefused;
  },
});

interface Target {
  /** Resolves when the next text may be written. */
  write(text: string): Promise<void>;
  end(): Promise<void>;
  /** Removes the file if possible, because a partial export must not pass for a complete one. */
  discard(): void;
}

const openTarget = async (file: string | undefined, stdout: Writable): Promise<Target> => {
  if (file === undefined) return { ...writing(stdout), end: async () => {}, discard: () => {} };
  const stream = createWriteStream(file, { flags: 'wx', mode: 0o600 });
  await new Promise<void>((resolve, reject) => {
    stream.once('open', () => resolve());
    stream.once('error', (error: NodeJS.ErrnoException) => reject(error.code === 'EEXIST' ? fileExists(file) : error));
  });
  return {
    ...writing(stream),
    end: () =>
      new Promise((resolve, reject) => {
        stream.once('error', reject);
        stream.end(() => resolve());
      }),
    discard: () => {
      stream.destroy();
      rmSync(file, { force: true });
    },
  };
};

const writing = (stream: Writable): Pick<Target, 'write'> => {
  // A write error also reaches its callback; without this listener it would end the process.
  stream.on('error', () => {});
  return {
    write: (text) =>
      new Promise((resolve, reject) => {
        stream.write(text, (error) => (error == null ? resolve() : reject(error)));
      }),
  };
};

const fileExists = (file: string): ServiceError =>
  new ServiceError('conflict', `${file} exists already`, { hint: 'name another file, or remove this one first' });
