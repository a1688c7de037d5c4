import { type CommandGroup, defineCommand } from '../../kernel/command-api.ts';
import { ServiceError } from '../../kernel/plugin-api.ts';
import { operatorOf, TENANT_SERVICES, tenantOption } from '../multi-tenant/multi-tenant-api.ts';
import { namespaceJson } from './namespace-json.ts';
import { MAX_PAGE } from './namespace-service.ts';
import { type NamespaceRule, Namespaces } from './namespaces-api.ts';

const requires = { namespaces: Namespaces, ...TENANT_SERVICES };
const PATTERN = { pattern: { summary: 'an entity, or a path with /* at its end for all entities under it' } };
const TENANT = tenantOption('tenant whose facts they are');

/** Rules are stored even while they are not enforced, so the command warns the operator. */
const OFF = 'SVC_NAMESPACES_ENABLED is off: the node refuses nothing for it\n';

const addCommand = defineCommand({
  name: 'add',
  summary: 'give an entity, or all entities under a path, to owners',
  description: 'Sets the owners of a namespace, in place of those it has. Running nodes follow at once.',
  needs: 'node',
  requires,
  arguments: PATTERN,
  options: {
    owners: { type: 'words', value: 'list', summary: 'who alone may write there: entities of keys, ids of peers' },
    ...TENANT,
  },
  async run({ arguments: { pattern }, options: { owners, tenant }, use, stderr }) {
    if (owners === undefined || owners.length === 0) {
      throw new ServiceError('validation', 'a namespace needs an owner', { hint: 'add --owners agent:x,agent:y' });
    }
    const rule = await use.namespaces.set(await operatorOf(tenant, use), { pattern, owners });
    stderr.write(`${rule.pattern} belongs to ${rule.owners.join(', ')}\n`);
    if (!use.namespaces.isEnforced) stderr.write(OFF);
  },
});

const listCommand = defineCommand({
  name: 'list',
  summary: 'namespaces and their owners',
  needs: 'node',
  requires,
  options: { json: { type: 'flag', summary: 'one JSON object per line' }, ...TENANT },
  async run({ options: { json, tenant }, use, stdout, stderr, table }) {
    const caller = await operatorOf(tenant, use);
    const found: NamespaceRule[] = [];
    for (let more = true; more; ) {
      const page = await use.namespaces.list(caller, { after: found.at(-1)?.pattern, limit: MAX_PAGE });
      found.push(...page.rules);
      more = page.more;
    }
    stdout.write(
      json
        ? found.map((rule) => `${JSON.stringify(namespaceJson(rule))}\n`).join('')
        : table([['pattern', 'owners'], ...found.map(({ pattern, owners }) => [pattern, owners.join(', ')])], {
            titled: true,
          }),
    );
    if (!use.namespaces.isEnforced) stderr.write(OFF);
  },
});

const removeCommand = defineCommand({
  name: 'remove',
  summary: 'let every caller write in a namespace again',
  needs: 'node',
  requires,
  arguments: PATTERN,
  options: TENANT,
  async run({ arguments: { pattern }, options: { tenant }, use, stderr }) {
    await use.namespaces.remove(await operatorOf(tenant, use), pattern);
    stderr.write(`${pattern} belongs to nobody any more\n`);
  },
});

export const namespaceCommands: CommandGroup = {
  name: 'namespace',
  topic: 'agents',
  summary: 'give entities to owners, list and remove such rules',
  description: 'Works on the store itself, beside a running node or without one.',
  notes: 'The rules hold while SVC_NAMESPACES_ENABLED=true.',
  examples: [
    "fact-memory-node namespace add 'svc://localhost:8765/project/x/*' --owners agent:x,agent:y",
    'fact-memory-node namespace list',
    "fact-memory-node namespace remove 'svc://localhost:8765/project/x/*'",
  ],
  commands: [addCommand, listCommand, removeCommand],
};
