import { type CommandGroup, defineCommand, rotateGroup } from '../../kernel/command-api.ts';
import type { Schema } from '../../kernel/internal-api.ts';
import { NodeSelf, nodePrincipal, ServiceError } from '../../kernel/plugin-api.ts';
import type { NodeKeySettings } from './node-identity.ts';
import { NodeKeys } from './node-info-api.ts';
import { drawNodeKey, readNodeKey } from './node-key-file.ts';

const rotateCommand = defineCommand({
  name: 'node-key',
  summary: "replace the node's own key, and keep the old one aside",
  description:
    'Puts a new key in the place of the old one, which stays beside it under another name. Capability tokens that the old key ' +
    'signed stay good until they expire or are revoked. A stolen key makes none, because the store knows every token.',
  notes: `Running processes that read the same file take the new key up within seconds; a copy
of the file elsewhere has to be replaced there. Peers follow by the list of keys in the
metadata, in which the old key vouches for the new one and stays good for an hour.
Secrets of webhooks stay readable as long as the retired file is there. Where
SVC_NODE_PRIVATE_KEY gives the key, the command says what to do.`,
  examples: ['fact-memory-node rotate node-key'],
  needs: 'node',
  requires: { keys: NodeKeys, self: NodeSelf },
  async run({ use: { keys, self }, stdout, stderr }) {
    const { retiredPublicKey, publicKey } = await keys.rotate(nodePrincipal(self.names));
    stdout.write(`Retired    ${retiredPublicKey}\nCurrent    ${publicKey}\n`);
    stderr.write('Running processes of the node sign by the new key within seconds.\n');
  },
});

const createCommand = (settings: Schema<NodeKeySettings>) =>
  defineCommand({
    name: 'create',
    summary: 'generate a key in place of one that was lost',
    description:
      'Generates a key where the file of the old one is missing and cannot be restored. The node does not do so by itself, because ' +
      'to others it becomes another node. Where there is a key, nothing is done.',
    notes: `Put the file back from the copy that you keep of it instead, if there is one: a backup holds
it only when it was made with --with-key. Secrets of webhooks were closed by the lost key: make those subscriptions again. Other nodes know this
one by its key: tell those that pinned the old one.`,
    examples: ['fact-memory-node node-key create && fact-memory-node start'],
    needs: 'settings',
    settings,
    async run({ config: { privateKey, privateKeyFile }, requireStore, random, stdout }) {
      await requireStore();
      if (privateKey !== '') {
        throw new ServiceError('conflict', 'the private key is given by SVC_NODE_PRIVATE_KEY and not kept in a file', {
          hint: 'leave the variable out, so that the file counts',
        });
      }
      if ((await readNodeKey(privateKeyFile)) !== undefined) {
        throw new ServiceError('conflict', `the node has a private key already: ${privateKeyFile}`, {
          hint: 'to put another one in its place, run "fact-memory-node rotate node-key"',
        });
      }
      await drawNodeKey(privateKeyFile, random);
      stdout.write(`Node key   ${privateKeyFile} (only you may read it)\n`);
    },
  });

export const rotateCommands = rotateGroup(rotateCommand);

export const nodeKeyCommands = (settings: Schema<NodeKeySettings>): CommandGroup => ({
  name: 'node-key',
  topic: 'node',
  summary: "replace a key of the node that was lost; 'rotate node-key' exchanges one that is there",
  description: 'The key by which the node signs. It lies in a file beside the store, which only its owner may read.',
  examples: ['fact-memory-node node-key create'],
  commands: [createCommand(settings)],
});
