import { type CommandContext, defineCommand } from '../../kernel/command-api.ts';
import { GARDEN } from './demo-data.ts';
import { ownEntity, retractAll } from './demo-requests.ts';
import { walkThrough } from './demo-walk.ts';

const OPTIONS = {
  noPause: { type: 'flag', summary: 'go on without waiting for Enter' },
  remove: { type: 'flag', summary: 'retract what the demonstration has stored' },
} as const;

export type DemoContext = CommandContext<
  Record<never, never>,
  typeof OPTIONS,
  'server',
  Record<never, never>,
  undefined
>;

export const demoCommand = defineCommand({
  name: 'demo',
  topic: 'memory',
  summary: 'see what a memory does, by a made-up team',
  description:
    'Loads a small made-up memory into a running node and walks through it: assert, contradict, recall, resolve, look ' +
    'back. Each step shows the command for it and what the node replies. Doing it again stores nothing twice.',
  notes: `Everything is in the scope "team" and begins with "demo:"; the garden is
"${GARDEN.slug}". --remove retracts the facts. They stay in the history, as all facts
do, and so do the garden and the audit log.`,
  examples: [
    'fact-memory-node demo --key-file data/admin.key',
    'fact-memory-node demo --no-pause',
    'fact-memory-node demo --remove',
  ],
  needs: 'server',
  options: OPTIONS,
  async run(context) {
    const { options, stdout, asTyped } = context;
    if (options.remove) {
      const count = await retractAll(context, await ownEntity(context));
      stdout.write(`${count === 0 ? 'Nothing of the demonstration is there' : `Retracted: ${count}`}\n`);
      if (count > 0) stdout.write(STAYS);
      return;
    }
    await walkThrough(context);
    stdout.write(asTyped(END));
  },
});

const STAYS = `What stays: the facts in the history, which --include-retracted shows; the audit
log; and the garden, which DELETE /v1/gardens/${GARDEN.slug} removes.
`;

const END = `
Go on with your own: "fact-memory-node assert user:me memory:likes tea".
"fact-memory-node demo --remove" retracts what you have seen here.
`;
