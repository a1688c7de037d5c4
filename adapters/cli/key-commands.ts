import { rmSync } from 'node:fs';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { SCOPES, type Scope, ServiceError } from '../../ports/ports.ts';
import type { CommandLineDeps, KeyAdministration, KeyRecord, NewKey } from './command-line-deps.ts';
import { EXIT } from './exit-codes.ts';
import { drawKey, writeKeyFile } from './key-file.ts';
import { pluginIsOff } from './plugin-is-off.ts';
import { textTable, widthOf } from './text-table.ts';
import { withNode } from './with-node.ts';

interface KeyOptions {
  readonly config?: string;
}

interface AddOptions extends KeyOptions {
  readonly entity: string;
  readonly permissions: readonly string[];
  readonly scopes: readonly Scope[];
  readonly expires?: string;
  readonly description?: string;
  readonly out?: string;
}

export const addKeyCommands = (program: Command, deps: CommandLineDeps, done: (exitCode: number) => void): void => {
  const key = program
    .command('key')
    .summary('add, list and revoke API keys')
    .description('Works on the store itself, beside a running node or without one.')
    .addHelpText('after', EXAMPLES);
  addAddCommand(key, deps, done);
  addListCommand(key, deps, done);
  addRevokeCommand(key, deps, done);
};

const EXAMPLES = `
The node keeps only a digest of each key. A lost key cannot be recovered: add
another one and revoke the lost one.

Examples:
  fact-memory-node key add --entity agent:indexer-7 --permissions read,write --out indexer.key
  fact-memory-node key list
  fact-memory-node key revoke 5f0c2b1e-7a64-4a0e-9a0b-0d5a3f2f9c11`;

const addAddCommand = (key: Command, deps: CommandLineDeps, done: (exitCode: number) => void): void => {
  key
    .command('add')
    .summary('generate an API key')
    .description('Generates a random key and registers its digest. The key is shown once, or written to a file.')
    .requiredOption('--entity <uri>', 'who uses the key; facts and audit rows are attributed to it')
    .addOption(
      new Option('--permissions <list>', 'what the key may do: read, write, admin or what a plugin adds')
        .argParser(namesIn)
        .default(['read', 'write'], 'read,write'),
    )
    .addOption(
      new Option('--scopes <list>', `where it may do so: ${SCOPES.join(', ')}`)
        .argParser(listOf(SCOPES))
        .default(SCOPES, 'all'),
    )
    .option(
      '--expires <instant>',
      'when the key ends, such as 2030-01-31T00:00:00Z; by default after SVC_API_KEY_MAX_AGE_DAYS',
    )
    .option('--description <text>', 'what the key is for')
    .option('--out <file>', 'write the key to this new file, which only you may read, instead of showing it')
    .option('--config <file>', 'configuration file that names the store')
    .action(async (options: AddOptions) => {
      await withKeys(options, deps, (keys) => add(keys, options, deps));
      done(EXIT.ok);
    });
};

const add = async (keys: KeyAdministration, options: AddOptions, deps: CommandLineDeps): Promise<void> => {
  const rawKey = drawKey();
  const record = await registerWithFile(keys, options.out, {
    rawKey,
    entityUri: options.entity,
    permissions: options.permissions,
    allowedScopes: options.scopes,
    description: options.description ?? null,
    expiresAt: options.expires,
  });
  // Standard output carries the key and nothing else, so that a script can take it from there.
  if (options.out === undefined) deps.stdout.write(`${rawKey}\n`);
  const where = options.out === undefined ? 'it is not shown again' : `written to ${options.out}`;
  const end = record.expiresAt === null ? 'never expires' : `expires ${record.expiresAt}`;
  deps.stderr.write(`Key ${record.id} for ${record.entityUri}: ${where}; ${end}\n`);
};

/** The file comes first: a registered key that is in nobody's hands would be worse than a file that opens nothing. */
const registerWithFile = async (
  keys: KeyAdministration,
  file: string | undefined,
  newKey: NewKey,
): Promise<KeyRecord> => {
  if (file === undefined) return keys.register(newKey);
  if (!writeKeyFile(file, newKey.rawKey)) {
    throw new ServiceError('conflict', `${file} exists already and is never overwritten`, {
      hint: 'name another file, or move that one away',
    });
  }
  try {
    return await keys.register(newKey);
  } catch (error) {
    rmSync(file, { force: true });
    throw error;
  }
};

const addListCommand = (key: Command, deps: CommandLineDeps, done: (exitCode: number) => void): void => {
  key
    .command('list')
    .summary('active keys, newest first')
    .option('--json', 'one JSON object per line')
    .option('--config <file>', 'configuration file that names the store')
    .action(async (options: KeyOptions & { readonly json?: boolean }) => {
      await withKeys(options, deps, async (keys) => {
        const records = await keys.list();
        deps.stdout.write(
          options.json === true ? records.map(jsonLine).join('') : keyTable(records, widthOf(deps.stdout)),
        );
      });
      done(EXIT.ok);
    });
};

const jsonLine = (record: KeyRecord): string => `${JSON.stringify(record)}\n`;

const keyTable = (records: readonly KeyRecord[], width: number | undefined): string =>
  textTable(
    [
      ['id', 'entity', 'permissions', 'scopes', 'expires', 'description'],
      ...records.map((record) => [
        record.id,
        record.entityUri,
        record.permissions.join(','),
        record.allowedScopes.join(','),
        record.expiresAt ?? 'never',
        record.description ?? '',
      ]),
    ],
    { titled: true, width },
  );

const addRevokeCommand = (key: Command, deps: CommandLineDeps, done: (exitCode: number) => void): void => {
  key
    .command('revoke')
    .summary('revoke a key')
    .description('Revokes a key. Running nodes refuse it within a second.')
    .argument('<id>', 'id of the key, as "fact-memory-node key list" shows it')
    .option('--config <file>', 'configuration file that names the store')
    .action(async (id: string, options: KeyOptions) => {
      await withKeys(options, deps, (keys) => revoke(keys, id));
      deps.stderr.write(`Key ${id} is revoked\n`);
      done(EXIT.ok);
    });
};

const revoke = async (keys: KeyAdministration, id: string): Promise<void> => {
  try {
    await keys.revoke(id);
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code !== 'lookup') throw error;
    throw new ServiceError('lookup', 'there is no key with this id', {
      hint: '"fact-memory-node key list" shows the ids of all active keys',
    });
  }
};

const withKeys = (
  options: KeyOptions,
  deps: CommandLineDeps,
  work: (keys: KeyAdministration) => Promise<void>,
): Promise<void> =>
  withNode(deps, options.config, async (node) => {
    const keys = node.keys();
    if (keys === undefined) throw pluginIsOff('keys');
    await work(keys);
  });

/** Reads a comma-separated list of permissions. The registry checks the names, because plugins add some. */
const namesIn = (text: string): readonly string[] => text.split(',').map((name) => name.trim());

/** Reads a comma-separated list of known words. */
const listOf =
  <T extends string>(known: readonly T[]) =>
  (text: string): readonly T[] => {
    const words = text.split(',').map((word) => word.trim());
    const found = known.filter((word) => words.includes(word));
    if (words.every((word) => (known as readonly string[]).includes(word))) return found;
    throw new InvalidArgumentError(`It must be a list, separated by commas, of: ${known.join(', ')}.`);
  };
