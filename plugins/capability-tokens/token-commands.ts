import { existsSync, readFileSync } from 'node:fs';
import { type CommandGroup, defineCommand, EXIT } from '../../kernel/command-api.ts';
import { fileTaken, isCommitUnknown, unknownEnd, writeSecretFile } from '../../kernel/internal-api.ts';
import { formatInstant, nodePrincipal, ServiceError } from '../../kernel/plugin-api.ts';
import { operatorOf, TENANT_SERVICES, tenantOption } from '../multi-tenant/multi-tenant-api.ts';
import {
  CAPABILITY_VERBS,
  type CapabilityRecord,
  CapabilityRegistry,
  type CapabilityVerb,
} from './capability-tokens-api.ts';

const MOST_LISTED = 10_000;

const requires = { registry: CapabilityRegistry, ...TENANT_SERVICES };
const { tenant } = tenantOption('tenant of the token, where the node has several');

const mintCommand = defineCommand({
  name: 'mint',
  summary: 'make and sign a token',
  description: 'Signs a token and records it. The token is shown once, or written to a file.',
  needs: 'node',
  requires,
  options: {
    subject: {
      type: 'text',
      value: 'uri',
      required: true,
      summary: 'entity of the keys with which the token may be used',
    },
    verb: {
      type: 'text',
      value: 'verb',
      required: true,
      summary: 'read, write, admin, federate, subscribe or tombstone:read',
    },
    object: {
      type: 'text',
      value: 'uri',
      required: true,
      summary: 'what it covers: an entity, all below a path, a scope, a garden, or everything',
    },
    expires: {
      type: 'text',
      value: 'instant',
      summary: 'when the token ends, such as 2030-01-31T00:00:00Z; at most 90 days ahead',
    },
    ttl: {
      type: 'integer',
      value: 'seconds',
      minimum: 1,
      maximum: 9_999_999_999,
      unit: 'seconds',
      summary: 'lifetime in seconds instead of --expires; one hour without either',
    },
    out: {
      type: 'text',
      value: 'file',
      summary: 'write the token to this new file, which only you may read, instead of showing it',
    },
    tenant,
  },
  async run({ options, use, random, stdout, stderr }) {
    const { registry } = use;
    const { subject, verb, object, expires, ttl, out } = options;
    if (out !== undefined && existsSync(out)) throw fileTaken(out);
    const actor = await operatorOf(options.tenant, use);
    const asked = { issuer: actor.entityUri, subject, verb: verbOf(verb), object, expiry: expires, ttlSeconds: ttl };
    const issued = await registry.issue(actor, asked).catch((error: unknown) => {
      throw isCommitUnknown(error) ? unknownEnd(error, 'a token may be recorded', UNKNOWN_MINTING) : error;
    });
    if (out !== undefined && !(await writeSecretFile(out, issued.tokenJson, random))) {
      // Revokes the token, because its file could not be written and nobody has received it.
      await registry.revoke(actor, issued.tokenId);
      throw fileTaken(out);
    }
    // Standard output contains only the token, so that a script can read it.
    if (out === undefined) stdout.write(`${issued.tokenJson}\n`);
    const where = out === undefined ? 'it is not shown again' : `written to ${out}`;
    stderr.write(
      `Token ${issued.tokenId} for ${issued.subject}: ${where}; expires ${formatInstant(issued.expiresMs)}\n`,
    );
  },
});

const UNKNOWN_MINTING =
  'nobody holds it: revoke it if "fact-memory-node token list" shows it first, and give the command again';

const verbOf = (text: string): CapabilityVerb => {
  const verb = CAPABILITY_VERBS.find((known) => known === text);
  if (verb !== undefined) return verb;
  throw new ServiceError('validation', `a capability token has one of the verbs ${CAPABILITY_VERBS.join(', ')}`);
};

const showCommand = defineCommand({
  name: 'show',
  summary: 'what a token says, and whether it is good',
  description: 'Reads a token and looks it up. The exit code is 0 for a token that is good now, and 1 for any other.',
  needs: 'node',
  requires,
  arguments: { file: { summary: 'file that holds the token; standard input without it', optional: true } },
  options: { tenant },
  async run({ arguments: { file }, options, use: { registry, self }, stdin, stdout, table }) {
    const text = (file === undefined ? await readAll(stdin) : readFileSync(file, 'utf8')).trim();
    const finding = await registry.inspect(nodePrincipal(self.names, options.tenant), text);
    const { record } = finding;
    const state = finding.valid ? 'good' : `${finding.reason}: ${finding.detail}`;
    stdout.write(table([['state', state], ...(record === undefined ? [] : linesOf(record))]));
    return finding.valid ? EXIT.ok : EXIT.failed;
  },
});

/** Returns a record in the form that `token list --json` prints, with RFC 3339 instants. */
const recordOf = (token: CapabilityRecord) => ({
  tokenId: token.tokenId,
  issuer: token.issuer,
  subject: token.subject,
  verb: token.verb,
  object: token.object,
  issuedAt: formatInstant(token.issuedMs),
  expiresAt: formatInstant(token.expiresMs),
  revokedAt: token.revokedMs === null ? null : formatInstant(token.revokedMs),
});

const linesOf = (token: CapabilityRecord): string[][] => {
  const { tokenId, issuer, subject, verb, object, issuedAt, expiresAt, revokedAt } = recordOf(token);
  return [
    ['id', tokenId],
    ['issuer', issuer],
    ['subject', subject],
    ['verb', verb],
    ['object', object],
    ['issued', issuedAt],
    ['expires', expiresAt],
    ...(revokedAt === null ? [] : [['revoked', revokedAt]]),
  ];
};

const listCommand = defineCommand({
  name: 'list',
  summary: 'tokens of everybody, newest first',
  needs: 'node',
  requires,
  options: { json: { type: 'flag', summary: 'one JSON object per line' }, tenant },
  async run({ options, use: { registry, self }, stdout, table }) {
    const { found } = await registry.list(nodePrincipal(self.names, options.tenant), { limit: MOST_LISTED });
    const records = found.map(recordOf);
    const rows = records.map(({ tokenId, subject, verb, object, issuer, expiresAt, revokedAt }) => [
      tokenId,
      subject,
      verb,
      object,
      issuer,
      expiresAt,
      revokedAt ?? '',
    ]);
    stdout.write(
      options.json
        ? records.map((record) => `${JSON.stringify(record)}\n`).join('')
        : table([['id', 'subject', 'verb', 'object', 'issuer', 'expires', 'revoked'], ...rows], { titled: true }),
    );
  },
});

const revokeCommand = defineCommand({
  name: 'revoke',
  summary: 'revoke a token',
  description: 'Revokes a token. Running nodes refuse it at once.',
  needs: 'node',
  requires,
  arguments: { id: { summary: 'id of the token, as "fact-memory-node token list" shows it' } },
  options: { tenant },
  async run({ arguments: { id }, options, use: { registry, self }, stderr }) {
    await registry.revoke(nodePrincipal(self.names, options.tenant), id);
    stderr.write(`Token ${id} is revoked\n`);
  },
});

const readAll = async (input: AsyncIterable<Buffer | string>): Promise<string> => {
  const parts: Buffer[] = [];
  for await (const part of input) parts.push(Buffer.from(part));
  return Buffer.concat(parts).toString('utf8');
};

export const tokenCommands: CommandGroup = {
  name: 'token',
  topic: 'agents',
  summary: 'make, read and revoke capability tokens',
  description: 'Works on the store itself, beside a running node or without one. The node itself is the issuer.',
  notes: `A token lets a key do one thing to one object, for a time. It gives no right that
the key itself does not have.`,
  examples: [
    'fact-memory-node token mint --subject agent:indexer-7 --verb subscribe --object svc://facts --ttl 86400 --out indexer.token',
    'fact-memory-node token show indexer.token',
    'fact-memory-node token list',
    'fact-memory-node token revoke 5f0c2b1e-7a64-4a0e-9a0b-0d5a3f2f9c11',
  ],
  commands: [mintCommand, showCommand, listCommand, revokeCommand],
};
