import type { Command } from 'commander';
import type { CommandLineDeps } from './command-line-deps.ts';
import { EXIT } from './exit-codes.ts';
import { pluginIsOff } from './plugin-is-off.ts';
import { withNode } from './with-node.ts';

export const addNodeKeyCommand = (program: Command, deps: CommandLineDeps, done: (exitCode: number) => void): void => {
  const nodeKey = program
    .command('node-key')
    .summary("rotate the node's own key")
    .description('The key by which the node signs, in a file beside the store that its owner alone may read.');
  nodeKey
    .command('rotate')
    .summary('draw a new key and keep the old one aside')
    .description(
      'Puts a new key in the place of the old one, which stays beside it under another name. Capability tokens that were signed by the old\n' +
        'key stay good until they expire or are revoked: a token counts only as far as the store knows it, so a key that was stolen makes none.',
    )
    .option('--config <file>', 'configuration file')
    .addHelpText(
      'after',
      `
Start every process of the node again afterwards: until then they sign by the old key.
Other nodes know this one by its key: those that pinned it have to be told the new one.
Secrets of webhooks were closed by the old key: subscriptions that have one are to be made anew.
The retired file is the way back, and can be removed once nobody wants it.

Example:
  fact-memory-node node-key rotate`,
    )
    .action(async (options: { readonly config?: string }) => {
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
