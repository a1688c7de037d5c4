import { type CommandGroup, defineCommand } from '../../kernel/command-api.ts';
import { NodeSelf, nodePrincipal } from '../../kernel/plugin-api.ts';
import { grantJson } from './grant-routes.ts';
import { GrantRegistry } from './oauth-api.ts';

const requires = { grants: GrantRegistry, self: NodeSelf };
const tenant = { type: 'text', value: 'id', summary: 'tenant of the grant, where the node has several' } as const;

const listCommand = defineCommand({
  name: 'list',
  summary: 'remote clients with access, newest first',
  needs: 'node',
  requires,
  options: { json: { type: 'flag', summary: 'one JSON object per line' }, tenant },
  async run({ options, use: { grants, self }, stdout, table }) {
    const found = (await grants.list(nodePrincipal(self.names, options.tenant))).map(grantJson);
    const rows = found.map((grant) => [
      grant.id,
      grant.client_name,
      grant.client_host,
      grant.person_uri,
      grant.entity_uri,
      grant.permissions.join(','),
      grant.expires_at,
    ]);
    stdout.write(
      options.json
        ? found.map((grant) => `${JSON.stringify(grant)}\n`).join('')
        : table([['id', 'client', 'host', 'person', 'entity', 'permissions', 'expires'], ...rows], { titled: true }),
    );
  },
});

const endCommand = defineCommand({
  name: 'end',
  summary: 'end the access of a remote client',
  description: 'Ends a grant. Running nodes refuse its tokens from the next request on.',
  needs: 'node',
  requires,
  arguments: { id: { summary: 'id of the grant, as "fact-memory-node grant list" shows it' } },
  options: { tenant },
  async run({ arguments: { id }, options, use: { grants, self }, stderr }) {
    await grants.end(nodePrincipal(self.names, options.tenant), id);
    stderr.write(`Grant ${id} has ended\n`);
  },
});

export const grantCommands: CommandGroup = {
  name: 'grant',
  topic: 'agents',
  summary: 'see and end the access of remote clients',
  description: 'Works on the store itself, beside a running node or without one. People give access in a browser.',
  examples: ['fact-memory-node grant list', 'fact-memory-node grant end 5f0c2b1e-7a64-4a0e-9a0b-0d5a3f2f9c11'],
  commands: [listCommand, endCommand],
};
