import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { type CommandGroup, defineCommand } from '../../../kernel/command-api.ts';
import { compileSchema, decodeBase64Url, fileTaken, parseStrictJson } from '../../../kernel/internal-api.ts';
import { nodePrincipal, ServiceError } from '../../../kernel/plugin-api.ts';
import { operatorOf, TENANT_SERVICES, tenantOption } from '../../multi-tenant/multi-tenant-api.ts';
import { type Direction, type Peering, PeerRegistry } from '../federation-api.ts';
import { peerJson } from '../peerings/peer-json.ts';
import { DECLARATION_BODY } from '../peerings/peer-routes.ts';
import { DIRECTIONS } from '../peerings/peering.ts';
import { afterAdding, afterDeclaring, afterRevoking } from './next-step.ts';
import { statusCommand } from './status-command.ts';

const requires = { registry: PeerRegistry, ...TENANT_SERVICES };
const { tenant } = tenantOption('tenant whose facts are exchanged, where the node has several');

/** A declaration may name the other scopes too, without an effect: somebody who types one erred. */
const SHARED_SCOPES = ['public', 'company'] as const;

const MAX_FILE_BYTES = 64 * 1024;

const declareCommand = defineCommand({
  name: 'declare',
  summary: 'sign what this node exchanges with another one',
  description:
    'Signs a declaration of this node, puts it on file here, and writes it for the operator of the other node.',
  needs: 'node',
  requires,
  arguments: { peer: { summary: 'address of the other node, such as https://beta.example, or its id' } },
  options: {
    scopes: {
      type: 'words',
      value: 'list',
      summary: 'which facts: public, company or both; others never leave a node',
      of: SHARED_SCOPES,
      default: ['public'],
    },
    direction: {
      type: 'text',
      value: 'word',
      summary: 'bidirectional; outbound to share alone; inbound to take alone',
      default: 'bidirectional',
    },
    mayEndOthers: {
      type: 'text',
      value: 'word',
      of: ['yes', 'no'],
      summary: 'yes lets the other node end facts of others here; default: yes where it may give company facts',
    },
    out: { type: 'text', value: 'file', summary: 'write the declaration to this new file instead of showing it' },
    tenant,
  },
  async run({ arguments: { peer }, options, use, stdout, stderr }) {
    const { registry, self } = use;
    const { scopes, direction, out } = options;
    const mayEndOthers = options.mayEndOthers === undefined ? undefined : options.mayEndOthers === 'yes';
    if (out !== undefined && existsSync(out)) throw fileTaken(out);
    const request = { peer, scopes, direction: directionOf(direction), mayEndOthers };
    const { declaration, code, peering } = await registry.declare(await operatorOf(options.tenant, use), request);
    const text = `${JSON.stringify(declaration, null, 2)}\n`;
    if (out !== undefined) writeFileSync(out, text, { flag: 'wx' });
    // Standard output contains only the declaration, so that a script can read it.
    if (out === undefined) stdout.write(text);
    stderr.write(`${afterDeclaring(peering, { file: out, code, ownUrl: self.nodeUrl })}\n`);
  },
});

const addCommand = defineCommand({
  name: 'add',
  summary: 'take the declaration of another node',
  description: 'Verifies a declaration against what its node says of itself, and puts it on file.',
  needs: 'node',
  requires,
  arguments: { file: { summary: 'file that holds the declaration' } },
  options: {
    url: {
      type: 'text',
      value: 'address',
      summary: 'where the node is reached, in place of what the declaration says',
    },
    code: {
      type: 'text',
      value: 'digits',
      summary: 'the code that the operator of the other node reads out; refuses any other declaration',
    },
    tenant,
  },
  async run({ arguments: { file }, options, use, stderr }) {
    const { registry, self } = use;
    const declaration = compileSchema(DECLARATION_BODY)(readDeclarationFile(file), 'body');
    if ((declaration['declaring_node_id'] ?? declaration['node_id']) === self.nodeId) throw ownDeclaration();
    const peering = await registry.register(await operatorOf(options.tenant, use), declaration, {
      nodeUrl: options.url,
      code: options.code,
    });
    stderr.write(`${afterAdding(peering, file)}\n`);
  },
});

const listCommand = defineCommand({
  name: 'list',
  summary: 'nodes with which this one exchanges facts',
  needs: 'node',
  requires,
  options: { json: { type: 'flag', summary: 'one JSON object per line' }, tenant },
  async run({ options, use: { registry, self }, stdout, table }) {
    const peers = await registry.list(nodePrincipal(self.names, options.tenant));
    const title = ['id', 'node', 'address', 'status', 'scopes', 'direction'];
    stdout.write(
      options.json
        ? peers.map((peer) => `${JSON.stringify(peerJson(peer))}\n`).join('')
        : table([title, ...peers.map(rowOf)], { titled: true }),
    );
  },
});

const rowOf = (peering: Peering): string[] => {
  const { peer_id: id, allowed_scopes: scopes, direction } = peerJson(peering);
  const { nodeId, nodeUrl, status } = peering;
  return [String(id), nodeId, nodeUrl, status, (scopes as readonly string[]).join(','), String(direction ?? '')];
};

const revokeCommand = defineCommand({
  name: 'revoke',
  summary: 'end the exchange with another node',
  description: 'Ends a peering in both directions. Running nodes stop at once.',
  needs: 'node',
  requires,
  arguments: { peer: { summary: 'id of the peering or of the node, as "fact-memory-node peer list" shows them' } },
  options: { tenant },
  async run({ arguments: { peer }, options, use: { registry, self }, stderr }) {
    const actor = nodePrincipal(self.names, options.tenant);
    const found = (await registry.list(actor)).find(({ peerId, nodeId }) => peerId === peer || nodeId === peer);
    if (found === undefined) {
      throw new ServiceError('lookup', 'no such peer', {
        hint: 'run "fact-memory-node peer list" for those there are',
      });
    }
    const peering = await registry.revoke(actor, found.peerId);
    stderr.write(`${afterRevoking(peering, self.nodeId)}\n`);
  },
});

const directionOf = (text: string): Direction => {
  const direction = DIRECTIONS.find((known) => known === text);
  if (direction !== undefined) return direction;
  throw new ServiceError('validation', `--direction is one of ${DIRECTIONS.join(', ')}`);
};

const readDeclarationFile = (file: string): unknown => {
  if (!existsSync(file)) {
    throw new ServiceError('lookup', `there is no file ${file}`, {
      hint: 'the operator of the other node makes it with "fact-memory-node peer declare YOUR-ADDRESS --out FILE"',
    });
  }
  if (statSync(file).size > MAX_FILE_BYTES)
    throw new ServiceError('validation', `${file} is no declaration: too large`);
  const content = readFileSync(file);
  return parseStrictJson(content.includes('{') ? content : (unwrapped(content) ?? content), 'declaration');
};

/** Returns the declaration in a text that the console of the other node has copied; null for any other content. */
const unwrapped = (content: Buffer): Uint8Array | null => decodeBase64Url(content.toString().replaceAll(/\s/g, ''));

const ownDeclaration = (): ServiceError =>
  new ServiceError('validation', 'this is a declaration of this node itself, which is on file since it was made', {
    hint: 'give it to the operator of the other node, and add the file that you get from there',
  });

export const peerCommands: CommandGroup = {
  name: 'peer',
  topic: 'node',
  summary: 'exchange facts with other nodes',
  description: 'Works on the store itself, beside a running node or without one, with the settings of the node.',
  notes: `Two nodes exchange facts when each has declared itself to the other, and both
declarations are on file on both.`,
  examples: [
    'fact-memory-node peer declare https://beta.example --out ours.json',
    'fact-memory-node peer add theirs.json',
    'fact-memory-node peer list',
    'fact-memory-node peer status',
    'fact-memory-node peer revoke svc://node.beta.example',
  ],
  commands: [declareCommand, addCommand, listCommand, statusCommand, revokeCommand],
};
