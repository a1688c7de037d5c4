import type { Command } from 'commander';
import type { CommandLineDeps } from './command-line-deps.ts';
import { EXIT } from './exit-codes.ts';
import { pluginIsOff } from './plugin-is-off.ts';
import { withNode } from './with-node.ts';

interface NodeKeyOptions {
  readonly config?: string;
}

export const addNodeKeyCommand = (program: Command, deps: CommandLineDeps, done: (exitCode: number) => void): void => {
  const nodeKey = program
    .command('node-key')
    .summary("rotate the node's own key, or replace a lost one")
    .description('The key by which the node signs. It lies in a file beside the store, which only its owner may read.')
    .addHelpText('after', '\nExamples:\n  fact-memory-node node-key rotate\n  fact-memory-node node-key create');
  addRotateCommand(nodeKey, deps, done);
  addCreateCommand(nodeKey, deps, done);
};

const addRotateCommand = (nodeKey: Command, deps: CommandLineDeps, done: (exitCode: number) => void): void => {
  nodeKey
    .command('rotate')
    .summary('generate a new key and keep the old one aside')
    .description(
      'Puts a new key in the place of the old one, which stays beside it under another name. Capability tokens that the old key ' +
        'signed stay good until they expire or are revoked. A stolen key makes none, because the store knows every token.',
    )
    .option('--config <file>', 'configuration file that names the store')
    .addHelpText(
      'after',
      `
Start every process of the node again afterwards: until then they sign by the
old key. Other nodes know this one by its key: tell those that pinned the old one.
Secrets of webhooks stay readable as long as the retired file is there.

Example:
  fact-memory-node node-key rotate`,
    )
    .action(async (options: NodeKeyOptions) => {
      await withNode(deps, options.config, async (node) => {
        const rotate = node.rotateKey;
        if (rotate === undefined) throw pluginIsOff('node-info');
        const { retiredPublicKey, publicKey } = await rotate();
        deps.stdout.write(`Retired    ${retiredPublicKey}\nCurrent    ${publicKey}\n`);
        deps.stderr.write('Start every process of the node again, so that it signs by the new key.\n');
      });
      done(EXIT.ok);
    });
};

const addCreateCommand = (nodeKey: Command, deps: CommandLineDeps, done: (exitCode: number) => void): void => {
  nodeKey
    .command('create')
    .summary('generate a key in place of one that was lost')
    .description(
      'Generates a key where the file of the old one is missing and cannot be restored. The node does not do so by itself, because ' +
        'to others it becomes another node. Where there is a key, nothing is done.',
    )
    .option('--config <file>', 'configuration file that names the store')
    .addHelpText(
      'after',
      `
Put the file back from a backup instead, if there is one. Secrets of webhooks
were closed by the lost key: make those subscriptions again. Other nodes know this
one by its key: tell those that pinned the old one.

Example:
  fact-memory-node node-key create && fact-memory-node start`,
    )
    .action(async (options: NodeKeyOptions) => {
      const node = await deps.openNode({
        configFile: options.config,
        env: deps.env,
        serve: false,
        createsStore: false,
      });
      const file = await node.createKey();
      if (file === undefined) throw pluginIsOff('node-info');
      deps.stdout.write(`Node key   ${file} (only you may read it)\n`);
      done(EXIT.ok);
    });
};
