import { existsSync, readFileSync } from 'node:fs';
import { type Command, InvalidArgumentError } from 'commander';
import { ServiceError } from '../../ports/ports.ts';
import type { CommandLineDeps, NewToken, TokenAdministration, TokenRecord } from './command-line-deps.ts';
import { EXIT } from './exit-codes.ts';
import { writeKeyFile } from './key-file.ts';
import { pluginIsOff } from './plugin-is-off.ts';
import { textTable, widthOf } from './text-table.ts';
import { withNode } from './with-node.ts';

interface TokenOptions {
  readonly config?: string;
  readonly tenant?: string;
}

interface MintOptions extends TokenOptions {
  readonly subject: string;
  readonly verb: string;
  readonly object: string;
  readonly expires?: string;
  readonly ttl?: number;
  readonly out?: string;
}

export const addTokenCommands = (program: Command, deps: CommandLineDeps, done: (exitCode: number) => void): void => {
  const token = program
    .command('token')
    .summary('make, read and revoke capability tokens')
    .description('Works on the store itself, beside a running node or without one. The node itself is the issuer.')
    .addHelpText('after', EXAMPLES);
  addMintCommand(token, deps, done);
  addShowCommand(token, deps, done);
  addListCommand(token, deps, done);
  addRevokeCommand(token, deps, done);
};

const EXAMPLES = `
A token lets a key do one thing to one object, for a time. It gives no right that
the key itself does not have.

Examples:
  fact-memory-node token mint --subject agent:indexer-7 --verb subscribe --object svc://facts --ttl 86400 --out indexer.token
  fact-memory-node token show indexer.token
  fact-memory-node token list
  fact-memory-node token revoke 5f0c2b1e-7a64-4a0e-9a0b-0d5a3f2f9c11`;

const withPlace = (command: Command): Command =>
  command
    .option('--tenant <id>', 'tenant of the token, where the node has several')
    .option('--config <file>', 'configuration file that names the store');

const addMintCommand = (token: Command, deps: CommandLineDeps, done: (exitCode: number) => void): void => {
  withPlace(
    token
      .command('mint')
      .summary('make and sign a token')
      .description('Signs a token and records it. The token is shown once, or written to a file.')
      .requiredOption('--subject <uri>', 'entity of the keys with which the token may be used')
      .requiredOption('--verb <verb>', 'read, write, admin, federate, subscribe or tombstone:read')
      .requiredOption('--object <uri>', 'what it covers: an entity, all below a path, a scope, a garden, or everything')
      .option('--expires <instant>', 'when the token ends, such as 2030-01-31T00:00:00Z; at most 90 days ahead')
      .option('--ttl <seconds>', 'lifetime in seconds instead of --expires; one hour without either', wholeSeconds)
      .option('--out <file>', 'write the token to this new file, which only you may read, instead of showing it'),
  ).action(async (options: MintOptions) => {
    await withTokens(options, deps, (tokens) => mint(tokens, options, deps));
    done(EXIT.ok);
  });
};

const mint = async (tokens: TokenAdministration, options: MintOptions, deps: CommandLineDeps): Promise<void> => {
  const { subject, verb, object, expires, ttl, out } = options;
  if (out !== undefined && existsSync(out)) throw taken(out);
  const asked: NewToken = { subject, verb, object, expiry: expires, ttlSeconds: ttl };
  const { tokenJson, ...record } = await tokens.mint(asked);
  if (out !== undefined && !writeKeyFile(out, tokenJson)) {
    // It is in nobody's hands, and must not be in anybody's.
    await tokens.revoke(record.tokenId);
    throw taken(out);
  }
  // Standard output carries the token and nothing else, so that a script can take it from there.
  if (out === undefined) deps.stdout.write(`${tokenJson}\n`);
  const where = out === undefined ? 'it is not shown again' : `written to ${out}`;
  deps.stderr.write(`Token ${record.tokenId} for ${record.subject}: ${where}; expires ${record.expiresAt}\n`);
};

const taken = (file: string): ServiceError =>
  new ServiceError('conflict', `${file} exists already and is never overwritten`, {
    hint: 'name another file, or move that one away',
  });

const addShowCommand = (token: Command, deps: CommandLineDeps, done: (exitCode: number) => void): void => {
  withPlace(
    token
      .command('show')
      .summary('what a token says, and whether it is good')
      .description(
        'Reads a token and looks it up. The exit code is 0 for a token that is good now, and 1 for any other.',
      )
      .argument('[file]', 'file that holds the token; standard input without it'),
  ).action(async (file: string | undefined, options: TokenOptions) => {
    const text = (file === undefined ? await readAll(deps.stdin) : readFileSync(file, 'utf8')).trim();
    await withTokens(options, deps, async (tokens) => {
      const { valid, reason, record } = await tokens.show(text);
      const state = [['state', valid ? 'good' : (reason ?? '')]];
      deps.stdout.write(textTable([...state, ...(record === undefined ? [] : linesOf(record))]));
      done(valid ? EXIT.ok : EXIT.failed);
    });
  });
};

const linesOf = (record: TokenRecord): string[][] => [
  ['id', record.tokenId],
  ['issuer', record.issuer],
  ['subject', record.subject],
  ['verb', record.verb],
  ['object', record.object],
  ['issued', record.issuedAt],
  ['expires', record.expiresAt],
  ...(record.revokedAt === null ? [] : [['revoked', record.revokedAt]]),
];

const addListCommand = (token: Command, deps: CommandLineDeps, done: (exitCode: number) => void): void => {
  withPlace(
    token.command('list').summary('tokens of everybody, newest first').option('--json', 'one JSON object per line'),
  ).action(async (options: TokenOptions & { readonly json?: boolean }) => {
    await withTokens(options, deps, async (tokens) => {
      const records = await tokens.list();
      const lines = records.map((record) => `${JSON.stringify(record)}\n`);
      deps.stdout.write(options.json === true ? lines.join('') : tokenTable(records, widthOf(deps.stdout)));
    });
    done(EXIT.ok);
  });
};

const tokenTable = (records: readonly TokenRecord[], width: number | undefined): string =>
  textTable(
    [
      ['id', 'subject', 'verb', 'object', 'issuer', 'expires', 'revoked'],
      ...records.map((record) => [
        record.tokenId,
        record.subject,
        record.verb,
        record.object,
        record.issuer,
        record.expiresAt,
        record.revokedAt ?? '',
      ]),
    ],
    { titled: true, width },
  );

const addRevokeCommand = (token: Command, deps: CommandLineDeps, done: (exitCode: number) => void): void => {
  withPlace(
    token
      .command('revoke')
      .summary('revoke a token')
      .description('Revokes a token. Running nodes refuse it at once.')
      .argument('<id>', 'id of the token, as "fact-memory-node token list" shows it'),
  ).action(async (id: string, options: TokenOptions) => {
    await withTokens(options, deps, (tokens) => tokens.revoke(id));
    deps.stderr.write(`Token ${id} is revoked\n`);
    done(EXIT.ok);
  });
};

const withTokens = (
  options: TokenOptions,
  deps: CommandLineDeps,
  work: (tokens: TokenAdministration) => Promise<void>,
): Promise<void> =>
  withNode(deps, options.config, async (node) => {
    const tokens = node.tokens(options.tenant);
    if (tokens === undefined) throw pluginIsOff('capability-tokens');
    await work(tokens);
  });

const readAll = async (input: AsyncIterable<Buffer | string>): Promise<string> => {
  const parts: Buffer[] = [];
  for await (const part of input) parts.push(Buffer.from(part));
  return Buffer.concat(parts).toString('utf8');
};

const wholeSeconds = (text: string): number => {
  if (/^[1-9]\d{0,9}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It must be a whole number of seconds.');
};
