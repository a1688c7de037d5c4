import type { Command } from 'commander';
import { EXIT } from '../../kernel/command-api.ts';
import type { CommandLineDeps, Conversion, EncryptionWork, NodeHandle } from './command-line-deps.ts';
import { addOpenSealedCommand } from './open-sealed-command.ts';
import { createProgress } from './progress.ts';

interface Options {
  readonly config?: string;
  readonly json?: boolean;
}

const SUMMARIES: Readonly<Record<Conversion, string>> = {
  on: 'seal a store that was made without a key',
  off: 'open a sealed store again, for good',
  rotate: 'draw new content keys, and seal everything with them',
};

const DESCRIPTIONS: Readonly<Record<Conversion, string>> = {
  on:
    'Seals the contents of the whole store with content keys. Takes them from their file, or draws new ones where there ' +
    'is none. The key of the operator seals that file. Put the key into SVC_ENCRYPTION_KEY_FILE first.',
  off: 'Writes the contents of the whole store in clear again. The file of content keys stays, for earlier backups.',
  rotate:
    'Draws new content keys, seals everything with them, and then drops the former ones, so that no earlier backup ' +
    'opens any more. Make a backup afterwards.',
};

/** The contents of the former form, which remains may hold. */
const REMAINS: Readonly<Record<Conversion, string>> = {
  on: 'clear contents',
  off: 'sealed contents',
  rotate: 'contents under the former keys',
};

/** Adds the commands for the seal of the store. */
export const addEncryptionCommands = (
  program: Command,
  deps: CommandLineDeps,
  done: (exitCode: number) => void,
): void => {
  const encryption = program
    .command('encryption')
    .summary('show whether the store is sealed, seal it, open it, renew its keys')
    .description('The seal of the contents of the store. docs/concepts/encryption.md explains it.');
  const open = ({ config }: Options): Promise<NodeHandle> =>
    deps.openNode({ configFile: config, env: deps.env, serve: false, createsStore: false });

  encryption
    .command('status', { isDefault: true })
    .summary('show whether the store is sealed, and with which key')
    .option('--config <file>', 'configuration file that names the store')
    .option('--json', 'the result as JSON')
    .action(async (options: Options) => {
      const status = await (await open(options)).encryption.status();
      const { isSealed, keyId, keyFile, version, unfinished } = status;
      if (options.json === true) {
        const json = { sealed: isSealed, key_id: keyId, key_file: keyFile, key_version: version, unfinished };
        deps.stdout.write(`${JSON.stringify(json)}\n`);
      } else {
        deps.stdout.write(`Contents   ${isSealed ? 'sealed' : 'clear'}\n`);
        if (isSealed) deps.stdout.write(`Key        ${keyId ?? 'unknown, because the file is missing'}\n`);
        if (isSealed) deps.stdout.write(`Key file   ${keyFile}\n`);
      }
      if (unfinished !== null) deps.stderr.write(`"fact-memory-node encryption ${unfinished}" was not finished\n`);
      else if (!isSealed && options.json !== true) {
        deps.stderr.write('"fact-memory-node encryption on" seals it, with the node stopped\n');
      }
      const isLost = isSealed && keyId === null;
      if (isLost)
        deps.stderr.write(
          `put back ${keyFile}, of which a copy lies beside the backups: nothing else opens the store\n`,
        );
      done(isLost ? EXIT.failed : EXIT.ok);
    });

  encryption
    .command('rewrap')
    .summary('let the present key of the operator open the content keys')
    .description(
      'After a rotation of the key of the operator, seals the file of content keys and its copies beside the backups ' +
        'with the key on the first line of the source. It takes seconds. Nothing in the store changes.',
    )
    .option('--config <file>', 'configuration file that names the store')
    .addHelpText(
      'after',
      '\nStop every process on the store first: the command is refused beside one.\n\nExample:\n  fact-memory-node encryption rewrap',
    )
    .action(async (options: Options) => {
      const { keyId, formerKeyId, copiesNotReplaced } = await (await open(options)).encryption.rewrap();
      deps.stdout.write(`Key        ${keyId}\n`);
      deps.stderr.write(
        formerKeyId === keyId
          ? 'the present key opened the content keys already\n'
          : `the key ${formerKeyId} is no longer needed for them; "fact-memory-node backup rewrap" does the backups\n`,
      );
      for (const sentence of copiesNotReplaced) deps.stderr.write(`${sentence}\n`);
      done(copiesNotReplaced.length === 0 ? EXIT.ok : EXIT.failed);
    });

  addOpenSealedCommand(encryption, deps, open, done);
  for (const conversion of Object.keys(SUMMARIES) as Conversion[]) {
    addConversion(encryption, conversion, deps, async (options) => (await open(options)).encryption, done);
  }
};

const addConversion = (
  encryption: Command,
  conversion: Conversion,
  { stdout, stderr }: CommandLineDeps,
  open: (options: Options) => Promise<EncryptionWork>,
  done: (exitCode: number) => void,
): void => {
  encryption
    .command(conversion)
    .summary(SUMMARIES[conversion])
    .description(
      `${DESCRIPTIONS[conversion]} Works in pieces. After an interruption the same command goes on, and until then ` +
        'the node does not start.',
    )
    .option('--config <file>', 'configuration file that names the store')
    .addHelpText(
      'after',
      `\nStop every process on the store first: the command is refused beside one.\n\nExample:\n  fact-memory-node encryption ${conversion}`,
    )
    .action(async (options: Options) => {
      const progress = createProgress(stderr, null, 'rows');
      const { places, copies } = await open(options)
        .then((work) => work.convert(conversion, progress))
        .finally(() => progress.end());
      stdout.write(`Contents   ${conversion === 'off' ? 'clear' : 'sealed'}\n`);
      if (places.length > 0) {
        stderr.write(`These places may still hold ${REMAINS[conversion]}:\n`);
        for (const place of places) stderr.write(`  - ${place}\n`);
      }
      for (const copy of copies) stderr.write(`${copy}\n`);
      done(EXIT.ok);
    });
};
