import { type CommandGroup, defineCommand } from '../../kernel/command-api.ts';
import { fileTaken, isCommitUnknown, unknownEnd, writeSecretFile } from '../../kernel/internal-api.ts';
import { NodeSelf, nodePrincipal, type Principal, type Random, SCOPES, ServiceError } from '../../kernel/plugin-api.ts';
import { drawKey } from './first-key.ts';
import { type KeyRecord, KeyRegistry } from './keys-api.ts';

const requires = { keys: KeyRegistry, self: NodeSelf };

const addCommand = defineCommand({
  name: 'add',
  summary: 'generate an API key',
  description: 'Generates a random key and registers its digest. The key is shown once, or written to a file.',
  needs: 'node',
  requires,
  options: {
    entity: {
      type: 'text',
      value: 'uri',
      required: true,
      summary: 'who uses the key; facts and audit rows are attributed to it',
    },
    // The registry checks the names, because plugins add some.
    permissions: {
      type: 'words',
      value: 'list',
      summary: 'what the key may do: read, write, admin or what a plugin adds',
      default: ['read', 'write'],
    },
    scopes: {
      type: 'words',
      value: 'list',
      summary: `where it may do so: ${SCOPES.join(', ')}`,
      of: SCOPES,
      default: SCOPES,
    },
    expires: {
      type: 'text',
      value: 'instant',
      summary: 'when the key ends, such as 2030-01-31T00:00:00Z; by default after SVC_API_KEY_MAX_AGE_DAYS',
    },
    tenant: { type: 'text', value: 'id', summary: 'tenant whose facts it opens, where the node keeps several' },
    description: { type: 'text', value: 'text', summary: 'what the key is for' },
    out: {
      type: 'text',
      value: 'file',
      summary: 'write the key to this new file, which only you may read, instead of showing it',
    },
  },
  async run({ options, use: { keys, self }, random, stdout, stderr }) {
    const { entity, permissions, scopes, expires, tenant, description, out } = options;
    const rawKey = drawKey(random);
    const registration = {
      rawKey,
      entityUri: entity,
      permissions,
      allowedScopes: scopes,
      description: description ?? null,
      ...(expires === undefined ? {} : { expiresAt: expires }),
      ...(tenant === undefined ? {} : { tenantId: tenant }),
    };
    const actor = nodePrincipal(self.names);
    let unknown: ServiceError | undefined;
    const register = (): Promise<KeyRecord | undefined> =>
      keys.register(actor, registration).catch((error: unknown) => {
        if (!isCommitUnknown(error)) throw error;
        unknown = error;
        return undefined;
      });
    const record = await (out === undefined
      ? register()
      : registerWithFile(out, rawKey, random, { register, revoke: (id) => revoke(keys, id, actor) }));
    // Standard output contains only the key, so that a script can read it.
    if (out === undefined) stdout.write(`${rawKey}\n`);
    if (record === undefined) throw unknownAddition(unknown as ServiceError, out);
    const where = out === undefined ? 'it is not shown again' : `written to ${out}`;
    const end = record.expiresAt === null ? 'never expires' : `expires ${record.expiresAt}`;
    stderr.write(`Key ${record.id} for ${record.entityUri}: ${where}; ${end}\n`);
  },
});

const unknownAddition = (cause: ServiceError, out: string | undefined): ServiceError =>
  unknownEnd(
    cause,
    'the key may be registered',
    `${out === undefined ? 'it is shown on standard output' : `it is written to ${out}`}: ` +
      '"fact-memory-node key list" shows it first if it was registered. Keep it then, or revoke it',
  );

/**
 * Registers the key when it is on disk, and then gives the file its name. So a command that is killed leaves no file of
 * a key that the node refuses, and the same command works again.
 */
const registerWithFile = async (
  file: string,
  rawKey: string,
  random: Random,
  { register, revoke }: { register(): Promise<KeyRecord | undefined>; revoke(id: string): Promise<void> },
): Promise<KeyRecord | undefined> => {
  let record: KeyRecord | undefined;
  try {
    const isWritten = await writeSecretFile(file, rawKey, random, async () => {
      record = await register();
    });
    if (isWritten) return record;
    throw fileTaken(file);
  } catch (error) {
    // Without its file, the key is of no use.
    if (record !== undefined) await revoke(record.id);
    throw error;
  }
};

const listCommand = defineCommand({
  name: 'list',
  summary: 'active keys, newest first',
  needs: 'node',
  requires,
  options: { json: { type: 'flag', summary: 'one JSON object per line' } },
  async run({ options: { json }, use: { keys, self }, stdout, table }) {
    const records = await keys.list(nodePrincipal(self.names));
    stdout.write(
      json
        ? records.map((record) => `${JSON.stringify(record)}\n`).join('')
        : table([TITLES, ...records.map(rowOf)], { titled: true }),
    );
  },
});

const TITLES: readonly string[] = [
  'id',
  'tenant',
  'entity',
  'permissions',
  'scopes',
  'expires',
  'last used',
  'description',
];

const rowOf = (record: KeyRecord): readonly string[] => [
  record.id,
  record.tenantId,
  record.entityUri,
  record.permissions.join(','),
  record.allowedScopes.join(','),
  record.expiresAt ?? 'never',
  record.lastUsedAt ?? 'never',
  record.description ?? '',
];

const revokeCommand = defineCommand({
  name: 'revoke',
  summary: 'revoke a key',
  description: 'Revokes a key. Running nodes refuse it within a second.',
  needs: 'node',
  requires,
  arguments: { id: { summary: 'id of the key, as "fact-memory-node key list" shows it' } },
  async run({ arguments: { id }, use: { keys, self }, stderr }) {
    await revoke(keys, id, nodePrincipal(self.names));
    stderr.write(`Key ${id} is revoked\n`);
  },
});

const revoke = async (keys: KeyRegistry, id: string, actor: Principal): Promise<void> => {
  try {
    await keys.revoke(actor, id);
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code !== 'lookup') throw error;
    throw new ServiceError('lookup', 'there is no key with this id', {
      hint: '"fact-memory-node key list" shows the ids of all active keys',
    });
  }
};

export const keyCommands: CommandGroup = {
  name: 'key',
  topic: 'agents',
  summary: 'add, list and revoke API keys',
  description: 'Works on the store itself, beside a running node or without one.',
  notes: `The node keeps only a digest of each key. A lost key cannot be recovered: add
another one and revoke the lost one.`,
  examples: [
    'fact-memory-node key add --entity agent:indexer-7 --permissions read,write --out indexer.key',
    'fact-memory-node key list',
    'fact-memory-node key revoke 5f0c2b1e-7a64-4a0e-9a0b-0d5a3f2f9c11',
  ],
  commands: [addCommand, listCommand, revokeCommand],
};
