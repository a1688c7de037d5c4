import { readFileSync, statSync } from 'node:fs';
import { type CommandGroup, defineCommand, jsonLine } from '../../../kernel/command-api.ts';
import { columnText } from '../../../kernel/internal-api.ts';
import { formatInstant, nodePrincipal, type Principal, ServiceError } from '../../../kernel/plugin-api.ts';
import { operatorOf, TENANT_SERVICES, tenantOption } from '../../multi-tenant/multi-tenant-api.ts';
import { eraseCommand } from '../erasure/erase-command.ts';
import { TombstoneFollows } from '../federation/follow-peer.ts';
import { tombstoneJson } from '../markers/marker-json.ts';
import { type Tombstone, Tombstones } from '../tombstones-api.ts';

const MOST_LISTED = 1_000;
const MAX_FILE_BYTES = 96 * 1024;

const requires = { tombstones: Tombstones, follows: TombstoneFollows, ...TENANT_SERVICES };
const { tenant } = tenantOption('tenant of the facts, where the node has several');

const addCommand = defineCommand({
  name: 'add',
  summary: 'hide the facts about an entity',
  description: 'Signs a tombstone. The facts about the entity are hidden while SVC_TOMBSTONES_ENABLED=true.',
  needs: 'node',
  requires,
  arguments: { entity: { summary: 'URI of the entity, such as user:alice' } },
  options: {
    scope: { type: 'text', value: 'scope', summary: 'one scope; without, all of them' },
    reason: { type: 'text', value: 'text', summary: 'why, at most 1024 characters' },
    hold: { type: 'flag', summary: 'keep the facts visible to keys with permission admin' },
    tenant,
  },
  async run({ arguments: { entity }, options, use, stdout, stderr }) {
    const { scope, reason, hold } = options;
    const { tombstones } = use;
    const actor = await operatorOf(options.tenant, use);
    const made = await tombstones.create(actor, { entityUri: entity, scope, reason, legalHold: hold });
    stdout.write(`${made.id}\n`);
    if (!tombstones.isSuppressing) {
      stderr.write('Nothing is hidden yet: set SVC_TOMBSTONES_ENABLED=true and start the node again.\n');
    }
  },
});

const listCommand = defineCommand({
  name: 'list',
  summary: 'show tombstones, newest first',
  needs: 'node',
  requires,
  options: { json: { type: 'flag', summary: 'one JSON object per line, for all of them' }, tenant },
  async run({ options, use: { tombstones, follows, self }, stdout, stderr, table }) {
    const actor = nodePrincipal(self.names, options.tenant);
    for (const { peerId, reason } of await follows.failing(actor)) {
      stderr.write(`The tombstones of peer ${peerId} could not be read: ${reason}.\n`);
    }
    if (options.json) {
      for await (const tombstone of allOf(actor, tombstones)) stdout.write(jsonLine(listedJson(tombstone)));
      return;
    }
    const page = await tombstones.list(actor, { limit: MOST_LISTED });
    stdout.write(table([['id', 'state', 'scope', 'entity', 'signed by'], ...page.tombstones.map(lineOf)]));
    if (page.more) stdout.write(`The newest ${MOST_LISTED} are shown; there are more.\n`);
  },
});

async function* allOf(actor: Principal, tombstones: Pick<Tombstones, 'list'>): AsyncGenerator<Tombstone> {
  for (let after: Tombstone | undefined; ; ) {
    const page = await tombstones.list(actor, { after, limit: MOST_LISTED });
    yield* page.tombstones;
    after = page.tombstones.at(-1);
    if (!page.more) return;
  }
}

const listedJson = (tombstone: Tombstone): object => ({
  ...tombstoneJson(tombstone),
  revoked_at: instantOf(tombstone.revokedMs),
  erased_at: instantOf(tombstone.erasedMs),
});

const instantOf = (ms: number | null): string | null => (ms === null ? null : formatInstant(ms));

const lineOf = (tombstone: Tombstone): string[] => [
  tombstone.id,
  stateOf(tombstone),
  tombstone.scope,
  columnText(tombstone.entityUri),
  columnText(tombstone.signedBy),
];

const stateOf = ({ revokedMs, erasedMs, legalHold, createdMs }: Tombstone): string => {
  if (erasedMs !== null) return `erased ${formatInstant(erasedMs)}`;
  if (revokedMs !== null) return `revoked ${formatInstant(revokedMs)}`;
  return `${legalHold ? 'hold' : 'active'} since ${formatInstant(createdMs)}`;
};

const revokeCommand = defineCommand({
  name: 'revoke',
  summary: 'show the facts behind a tombstone again',
  needs: 'node',
  requires,
  arguments: { id: { summary: 'id of the tombstone' } },
  options: { reason: { type: 'text', value: 'text', required: true, summary: 'why' }, tenant },
  async run({ arguments: { id }, options, use: { tombstones, self }, stdout }) {
    const actor = nodePrincipal(self.names, options.tenant);
    stdout.write(`${(await tombstones.revoke(actor, id, options.reason)).id}\n`);
  },
});

const followCommand = defineCommand({
  name: 'follow',
  summary: 'hide facts of a peer as that peer does',
  description:
    'Reads the tombstones of a peer from now on, by a capability token of that peer: its operator makes one with ' +
    '"token mint --subject <id of this node> --verb tombstone:read --object public". Repeat it with a new token.',
  needs: 'node',
  requires,
  arguments: { peer: { summary: 'peer id, as peer list shows it' } },
  options: {
    capability: { type: 'text', value: 'file', required: true, summary: 'file that holds the capability token' },
    tenant,
  },
  async run({ arguments: { peer }, options, use, stderr }) {
    const { capability: file } = options;
    if (statSync(file).size > MAX_FILE_BYTES) {
      throw new ServiceError('validation', `${file} is too large for a capability token`);
    }
    await use.follows.follow(await operatorOf(options.tenant, use), peer, readFileSync(file, 'utf8'));
    stderr.write(`The tombstones of ${peer} are read from now on.\n`);
  },
});

export const tombstoneCommands: CommandGroup = {
  name: 'tombstone',
  topic: 'memory',
  summary: 'hide what is known about an entity, or erase it',
  description: 'Works on the store itself, beside a running node or without one.',
  notes: 'A tombstone hides facts from every answer, and can be revoked. The command erase destroys them for good.',
  examples: [
    'fact-memory-node tombstone add user:alice --reason "asked to be forgotten"',
    'fact-memory-node tombstone list',
    'fact-memory-node tombstone erase tomb_… --yes > receipt.json',
  ],
  commands: [addCommand, listCommand, revokeCommand, eraseCommand, followCommand],
};
