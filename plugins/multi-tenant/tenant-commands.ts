import { type CommandGroup, countNoun, defineCommand } from '../../kernel/command-api.ts';
import { isCommitUnknown, unknownEnd } from '../../kernel/internal-api.ts';
import { NodeSelf, nodePrincipal, type Random, SCOPES, ServiceError } from '../../kernel/plugin-api.ts';
import { MAX_TENANTS_PAGE } from './directory-service.ts';
import { exportTenantCommand } from './export-command.ts';
import { type TenantRecord, type TenantReport, Tenants } from './multi-tenant-api.ts';
import { tenantJson, tenantReportJson } from './tenant-json.ts';
import { FIRST_PERMISSIONS } from './tenant-routes.ts';

const requires = { tenants: Tenants, self: NodeSelf };
const json = { type: 'flag', summary: 'JSON in place of text' } as const;
const ID = { id: { summary: 'id of the tenant, as "fact-memory-node tenant list" shows it' } };
const KEY_BYTES = 32;

/** Draws a key like `key add`: 64 hexadecimal digits, safe in a shell, a header and a URL. */
const drawKey = (random: Random): string => Buffer.from(random.bytes(KEY_BYTES)).toString('hex');

const UNKNOWN_CREATION =
  'its first key is shown on standard output: keep it if "fact-memory-node tenant show" knows the tenant, ' +
  'and give the command again if it does not';

const createCommand = defineCommand({
  name: 'create',
  summary: 'make a tenant and the first key of its administrator',
  description: 'Makes a tenant. Its first key is shown once, on standard output.',
  needs: 'node',
  requires,
  arguments: { id: { summary: 'lower-case letters, digits and dashes, at most 63 characters' } },
  options: {
    entity: { type: 'text', value: 'uri', summary: 'who uses the first key', default: 'agent:admin' },
    permissions: {
      type: 'words',
      value: 'list',
      summary: 'what the first key may do',
      default: FIRST_PERMISSIONS,
    },
    name: { type: 'text', value: 'text', summary: 'name of the tenant, for people' },
  },
  async run({
    arguments: { id },
    options: { entity, permissions, name },
    use: { tenants, self },
    random,
    stdout,
    stderr,
  }) {
    const rawKey = drawKey(random);
    const wanted = {
      id,
      name: name ?? null,
      firstKey: { rawKey, entityUri: entity, permissions, allowedScopes: SCOPES },
    };
    const { firstKey } = await tenants.create(nodePrincipal(self.names), wanted).catch((error: unknown) => {
      if (!isCommitUnknown(error)) throw error;
      stdout.write(`${rawKey}\n`);
      throw unknownEnd(error, 'the tenant may be made', UNKNOWN_CREATION);
    });
    // Standard output contains only the key, so that a script can read it.
    stdout.write(`${rawKey}\n`);
    const end = firstKey.expiresAt === null ? 'never expires' : `expires ${firstKey.expiresAt}`;
    stderr.write(`Tenant ${id} is made. Key ${firstKey.id} for ${firstKey.entityUri} is not shown again; ${end}\n`);
  },
});

const listCommand = defineCommand({
  name: 'list',
  summary: 'tenants of the node',
  needs: 'node',
  requires,
  options: { json: { type: 'flag', summary: 'one JSON object per line' } },
  async run({ options, use: { tenants, self }, stdout, table }) {
    const caller = nodePrincipal(self.names);
    const found: TenantRecord[] = [];
    for (let more = true; more; ) {
      const page = await tenants.list(caller, { after: found.at(-1)?.id, limit: MAX_TENANTS_PAGE });
      found.push(...page.tenants);
      more = page.more;
    }
    stdout.write(
      options.json
        ? found.map((tenant) => `${JSON.stringify(tenantJson(tenant))}\n`).join('')
        : table([['id', 'status', 'created', 'name'], ...found.map(rowOf)], { titled: true }),
    );
  },
});

const rowOf = ({ id, status, createdAt, name }: TenantRecord): string[] => [id, status, createdAt, name ?? ''];

const showCommand = defineCommand({
  name: 'show',
  summary: 'one tenant, what it holds, and the receipt of its erasure',
  needs: 'node',
  requires,
  arguments: ID,
  options: { json },
  async run({ arguments: { id }, options, use: { tenants, self }, stdout, table }) {
    const report = await tenants.get(nodePrincipal(self.names), id);
    stdout.write(options.json ? `${JSON.stringify(tenantReportJson(report), null, 2)}\n` : table(linesOf(report)));
  },
});

const linesOf = ({ counts, erasure, ...tenant }: TenantReport): string[][] => [
  ['id', tenant.id],
  ['name', tenant.name ?? ''],
  ['status', tenant.status],
  ['created', tenant.createdAt],
  ...(tenant.suspendedAt === null ? [] : [['suspended', tenant.suspendedAt]]),
  ...Object.entries(counts).map(([word, count]) => [word, String(count)]),
  ...(erasure === null ? [] : [['erasure asked for', `${erasure.requestedAt} by ${erasure.requestedBy}`]]),
  ...(erasure === null ? [] : [['rows deleted', String(rowsOf(erasure.rows))]]),
  ...(erasure?.receipt == null ? [] : [['erased', erasure.receipt.erased_at]]),
];

const suspendCommand = defineCommand({
  name: 'suspend',
  summary: 'let a tenant rest',
  description: 'Refuses the keys of a tenant and lets its background work rest. Running nodes follow within a second.',
  needs: 'node',
  requires,
  arguments: ID,
  async run({ arguments: { id }, use: { tenants, self }, stderr }) {
    await tenants.change(nodePrincipal(self.names), id, { status: 'suspended' });
    stderr.write(`Tenant ${id} is suspended. "fact-memory-node tenant resume ${id}" ends that\n`);
  },
});

const resumeCommand = defineCommand({
  name: 'resume',
  summary: 'serve a suspended tenant again',
  needs: 'node',
  requires,
  arguments: ID,
  async run({ arguments: { id }, use: { tenants, self }, stderr }) {
    await tenants.change(nodePrincipal(self.names), id, { status: 'active' });
    stderr.write(`Tenant ${id} is active\n`);
  },
});

const eraseCommand = defineCommand({
  name: 'erase',
  summary: 'destroy a tenant and everything that it holds',
  description:
    'Deletes every row of a tenant, its keys among them, and what was made of them. Nothing brings it back. An ' +
    'interrupted erasure goes on when the command is given again.',
  needs: 'node',
  requires,
  arguments: ID,
  options: {
    yes: { type: 'flag', summary: 'really erase it; without this option the command only says what would go' },
    json,
  },
  async run({ arguments: { id }, options, use: { tenants, self }, stdout, stderr, table, progress: show }) {
    const caller = nodePrincipal(self.names);
    const before = await tenants.get(caller, id);
    if (!options.yes) {
      stdout.write(options.json ? `${JSON.stringify(tenantReportJson(before), null, 2)}\n` : table(linesOf(before)));
      throw new ServiceError('conflict', 'nothing was erased', {
        hint: `"fact-memory-node tenant erase ${id} --yes" destroys all of this for ever`,
      });
    }
    const progress = show(null, 'rows');
    try {
      const report = await tenants.erase(caller, id, {
        confirm: id,
        wait: true,
        onProgress: (rows) => progress.update(rows),
      });
      stdout.write(`${JSON.stringify(report.erasure?.receipt ?? null, null, 2)}\n`);
      stderr.write(`Tenant ${id} is erased: ${countNoun(rowsOf(report.erasure?.rows ?? {}), 'row')}\n`);
    } finally {
      progress.end();
    }
  },
});

const rowsOf = (rows: Readonly<Record<string, number>>): number =>
  Object.values(rows).reduce((sum, count) => sum + count, 0);

export const tenantCommands: CommandGroup = {
  name: 'tenant',
  topic: 'agents',
  summary: 'make, list, suspend, export and erase tenants',
  description: 'Works on the store itself, beside a running node or without one.',
  notes: 'The commands need SVC_MULTI_TENANT_ENABLED=true.',
  examples: [
    'fact-memory-node tenant create acme --entity agent:acme-admin > acme.key',
    'fact-memory-node tenant suspend acme',
    'fact-memory-node tenant erase acme --yes > receipt.json',
  ],
  commands: [createCommand, listCommand, showCommand, suspendCommand, resumeCommand, exportTenantCommand, eraseCommand],
};
