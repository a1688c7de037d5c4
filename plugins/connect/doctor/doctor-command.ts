import { defineCommand, EXIT, jsonLine } from '../../../kernel/command-api.ts';
import { harmlessText } from '../../../kernel/internal-api.ts';
import { ServiceError } from '../../../kernel/plugin-api.ts';
import { DEFAULT_SERVER_NAME } from '../client-lines.ts';
import { CLIENT_NAMES, CLIENTS, clientOf } from '../clients/all-clients.ts';
import type { Client, Place } from '../clients/client.ts';
import { PLACE_OPTIONS, readPlace } from '../connect-command.ts';
import { readRecords } from '../connection-record.ts';
import { userFolders } from '../user-folders.ts';
import { checkClient } from './check-client.ts';
import type { Finding } from './finding.ts';

export const doctorCommand = defineCommand({
  name: 'doctor',
  topic: 'agents',
  summary: 'check the connection of an editor or an agent, from its side',
  description:
    'Reads what a client has been told, and does what the client would do: it reaches the node, sends the key, asks for ' +
    'the tools over the transport of the file, and recalls. Before it uses an entry that "connect" did not write, it ' +
    'shows the entry and asks. Why a node does not start is told by "plugins doctor".',
  notes: `Exit codes: 0 everything works, 1 something is broken. A warning alone is no
failure.`,
  examples: ['fact-memory-node doctor', 'fact-memory-node doctor claude-code --json'],
  needs: 'nothing',
  arguments: { client: { summary: `${CLIENT_NAMES.join(', ')}; without it all connections`, optional: true } },
  options: {
    ...PLACE_OPTIONS,
    name: { type: 'text', value: 'name', summary: 'name of the server in the client', default: DEFAULT_SERVER_NAME },
    yes: { type: 'flag', summary: 'check entries that "connect" did not write, without asking' },
    json: { type: 'flag', summary: 'one JSON object with the list of findings' },
  },
  async run(context) {
    const { options, env, stdout, table, ask, asTyped } = context;
    const approve = async (what: string): Promise<boolean> =>
      options.yes || /^y(?:es)?$/i.test(((await ask?.(`${harmlessText(what)}\nCheck it (y or n): `)) ?? '').trim());
    const folders = userFolders(env);
    const named = context.arguments.client;
    const places: { readonly client: Client; readonly place: Place }[] =
      named === undefined
        ? (await readRecords(folders)).flatMap(({ client, scope, folder }) =>
            CLIENTS.filter(({ name }) => name === client).map((one) => ({
              client: one,
              place: { folders, scope, folder: folder ?? '.' },
            })),
          )
        : [{ client: clientOf(named), place: await readPlace(clientOf(named), options, folders) }];
    if (places.length === 0) {
      throw new ServiceError('lookup', 'no client is connected', {
        hint: 'connect one with "fact-memory-node connect", or name the client to check one that was connected by hand',
      });
    }
    const findings: Finding[] = [];
    for (const { client, place } of places) {
      findings.push(...(await checkClient(client, place, options.name, { ...context, approve })));
    }
    const isBroken = findings.some(({ state }) => state === 'broken');
    if (options.json) stdout.write(jsonLine({ ok: !isBroken, findings }));
    else {
      const rows = findings.map(({ client, check, state, detail }) => [client, check, state, detail]);
      stdout.write(table([['client', 'check', 'state', 'found'], ...rows], { titled: true }));
      for (const { client, check, fix } of findings) {
        if (fix !== undefined) stdout.write(`${asTyped(harmlessText(`${client} ${check}: ${fix}`))}\n`);
      }
    }
    return isBroken ? EXIT.failed : EXIT.ok;
  },
});
