import { defineCommand, EXIT } from '../../kernel/command-api.ts';
import { ServiceError } from '../../kernel/plugin-api.ts';
import { endKey } from './client-key.ts';
import { CLIENT_NAMES, clientOf } from './clients/all-clients.ts';
import { confirmed, showPlans } from './confirm-plans.ts';
import { PLACE_OPTIONS, readPlace } from './connect-command.ts';
import { readRecord, removeRecord, saveRecord } from './connection-record.ts';
import { carryOut, isChange, planUndo } from './plan-files.ts';
import { userFolders } from './user-folders.ts';

export const disconnectCommand = defineCommand({
  name: 'disconnect',
  topic: 'agents',
  summary: 'take out what "connect" has written',
  description:
    'Takes the entries of "connect" out of the files of a client, and ends the key that was made for it. What you have ' +
    'changed since stays as it is.',
  examples: ['fact-memory-node disconnect claude-code --dry-run', 'fact-memory-node disconnect cursor --yes'],
  needs: 'nothing',
  arguments: { client: { summary: CLIENT_NAMES.join(', ') } },
  options: {
    ...PLACE_OPTIONS,
    dryRun: { type: 'flag', summary: 'show what would change in each file, and write nothing' },
    yes: { type: 'flag', summary: 'write without asking' },
    force: { type: 'flag', summary: 'take entries out that were changed since, too' },
  },
  async run(context) {
    const { options, env, stdout, stderr, random } = context;
    const client = clientOf(context.arguments.client);
    const place = await readPlace(client, options, userFolders(env));
    const record = await readRecord(client.name, place);
    if (record === undefined) {
      throw new ServiceError('lookup', `"connect" has not connected ${client.title} here`, {
        hint: 'an entry that you wrote by hand is left alone; "fact-memory-node connect" lists the connections',
      });
    }
    const within = place.scope === 'project' ? place.folder : undefined;
    const plans = await Promise.all(record.files.map((file) => planUndo(file, options.force, within)));
    showPlans(plans, stdout);
    if (!(await confirmed(context))) return options.dryRun ? EXIT.ok : EXIT.failed;
    for (const plan of plans.filter(isChange)) await carryOut(plan, random);
    const remark = await endKey(record, place, await context.openServer({ url: record.url }));
    const left = record.files.filter((_, number) => (plans[number]?.kept.length ?? 0) > 0);
    if (left.length === 0) {
      await removeRecord(place.folders, record);
      stdout.write(`${client.title} is disconnected.\n`);
    } else {
      await saveRecord(place.folders, { ...record, key: null, files: left }, random);
      for (const { file, kept } of plans.filter((plan) => plan.kept.length > 0)) {
        stderr.write(`${file.path}: ${kept.join(', ')} was changed since, and is left. --force takes it out.\n`);
      }
    }
    if (remark !== undefined) stderr.write(`${remark}\n`);
    return left.length === 0 ? EXIT.ok : EXIT.failed;
  },
});
