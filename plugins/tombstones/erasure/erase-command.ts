import { countNoun, defineCommand } from '../../../kernel/command-api.ts';
import { DEFAULT_TENANT, NodeSelf, nodePrincipal, ServiceError } from '../../../kernel/plugin-api.ts';
import { Erasures } from '../tombstones-api.ts';

export const eraseCommand = defineCommand({
  name: 'erase',
  summary: 'destroy the facts behind a tombstone for good',
  description:
    'Destroys what the hidden facts say, and everything that the node made of them. Shows what that would be until ' +
    '--yes is given. It cannot be taken back. The receipt goes to standard output.',
  examples: ['fact-memory-node tombstone erase tomb_… --dry-run', 'fact-memory-node tombstone erase tomb_… --yes'],
  needs: 'node',
  requires: { erasures: Erasures, self: NodeSelf },
  arguments: { tombstone: { summary: 'its id, as "fact-memory-node tombstone list" shows it' } },
  options: {
    dryRun: { type: 'flag', summary: 'count, and destroy nothing' },
    yes: { type: 'flag', summary: 'destroy' },
    tenant: { type: 'text', value: 'id', summary: 'tenant of the tombstone', default: DEFAULT_TENANT },
  },
  async run({ arguments: { tombstone }, options, use: { erasures, self }, stdout, stderr, progress: show }) {
    const { dryRun, yes, tenant } = options;
    const actor = nodePrincipal(self.names, tenant);
    const confirm = await erasures.entityOf(actor, tombstone);
    if (dryRun || !yes) {
      stdout.write(`${JSON.stringify(await erasures.preview(actor, tombstone, confirm))}\n`);
      if (dryRun) return;
      throw new ServiceError('conflict', 'nothing was destroyed', {
        hint: 'give --yes to destroy all of this for good',
      });
    }
    const progress = show(null, 'facts');
    try {
      const receipt = await erasures.eraseNow(actor, tombstone, confirm, (facts) => progress.update(facts));
      stdout.write(`${JSON.stringify(receipt)}\n`);
      stderr.write(`destroyed: ${countNoun(receipt.erased['facts'] ?? 0, 'fact')} of ${tombstone}\n`);
    } finally {
      progress.end();
    }
  },
});
