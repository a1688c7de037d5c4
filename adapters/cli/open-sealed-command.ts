import { createReadStream } from 'node:fs';
import type { Command } from 'commander';
import { EXIT } from '../../kernel/command-api.ts';
import type { WriteText } from '../../kernel/internal-api.ts';
import type { CommandLineDeps, NodeHandle } from './command-line-deps.ts';
import { writeExport } from './export-files.ts';

interface Options {
  readonly config?: string;
  readonly out?: string;
}

/** Adds the command that opens a sealed export. */
export const addOpenSealedCommand = (
  encryption: Command,
  { stdin, stdout, stderr }: CommandLineDeps,
  open: (options: Options) => Promise<NodeHandle>,
  done: (exitCode: number) => void,
): void => {
  encryption
    .command('open')
    .summary('open a sealed export')
    .description(
      'Writes the content of a file that "export", "audit export", "tenant export" or "subject export" has sealed, to ' +
        'standard output or to a file. Needs the key of the operator, and no store. "import" opens such files by itself.',
    )
    .argument('<file>', 'file that was sealed, or - for standard input')
    .option('--out <file>', 'file to write, readable by you alone; it must not exist yet')
    .option('--config <file>', 'configuration file that names the key')
    .addHelpText('after', '\nExample:\n  fact-memory-node encryption open memory.ndjson --out clear.ndjson')
    .action(async (file: string, options: Options) => {
      const { fileSeal } = await open(options);
      const content = fileSeal.open(file === '-' ? stdin : createReadStream(file));
      const place = { out: options.out, plain: true };
      const copy = async (write: WriteText): Promise<void> => {
        for await (const part of content) await write(part);
      };
      await writeExport(place, copy, { ...fileSeal, seal: undefined }, { stdout, stderr });
      if (options.out !== undefined) stderr.write(`wrote ${options.out}: the opened content, in the clear\n`);
      done(EXIT.ok);
    });
};
