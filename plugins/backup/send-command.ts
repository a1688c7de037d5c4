import { type CommandContext, countNoun, defineCommand } from '../../kernel/command-api.ts';
import { type BackupSettings, backupSettings } from './backup-settings.ts';
import { type SentToTarget, sendToTarget } from './send-to-target.ts';
import { showWork } from './show-work.ts';

type Context = Pick<
  CommandContext<Record<never, never>, Record<never, never>, 'store', Record<never, never>, BackupSettings>,
  'config' | 'objects' | 'store' | 'clock' | 'random' | 'stderr' | 'progress'
>;

/** Sends what the configured target lacks, and says so on standard error. */
export const sendShown = async (context: Context): Promise<SentToTarget> => {
  const { config, objects, store, clock, random, stderr, progress: show } = context;
  const bar = showWork(show, 'bytes sent');
  try {
    const result = await store.withCopies((copies) =>
      sendToTarget(
        { copies, clock, objects, random, config },
        { onProgress: (done, total) => bar.update(done, total) },
      ),
    );
    const { place, sent, removed, withKey, notReplaced, there } = result;
    stderr.write(`${countNoun(sent.length, 'backup')} sent to ${place}, which has ${there.length}\n`);
    if (removed.length > 0) stderr.write(`removed there: ${removed.join(', ')}\n`);
    if (withKey.length > 0) {
      stderr.write(
        `not sent, because without an encryption key nothing seals the private key of the node: ${withKey.join(', ')}\n`,
      );
    }
    if (notReplaced.length > 0) {
      stderr.write(`in the clear or damaged there, and locked, so not sent again: ${notReplaced.join(', ')}\n`);
    }
    return result;
  } finally {
    bar.end();
  }
};

export const sendCommand = defineCommand({
  name: 'send',
  summary: 'send backups of the folder to the target',
  description:
    'Sends those that the target (SVC_BACKUP_TARGET) lacks and that would stay there, the newest first, and removes ' +
    'others from the target as SVC_BACKUP_KEEP and SVC_BACKUP_RETENTION say. Goes on where an interrupted run ended. ' +
    '"create" and the task "backup" do so by themselves.',
  notes: `With SVC_ENCRYPTION_KEY_FILE or SVC_ENCRYPTION_KEY_COMMAND every file is sealed before it leaves.
Without a key, backups with the private key of the node stay in the folder. For s3://… the
package @aws-sdk/client-s3 must be installed beside the node, and the credentials, the region
and the address come from the variables of AWS: AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY,
AWS_REGION, AWS_ENDPOINT_URL_S3.`,
  examples: ['fact-memory-node backup send'],
  needs: 'store',
  settings: backupSettings,
  options: { json: { type: 'flag', summary: 'the result as JSON' } },
  async run(context) {
    const { place, sent, removed, withKey, notReplaced, there } = await sendShown(context);
    if (!context.options.json) for (const name of sent) context.stdout.write(`${name}\n`);
    else {
      const locked = there.filter(({ lock }) => lock !== null).map(({ name }) => name);
      const kept = there.map(({ name }) => name);
      const held = { not_sent: withKey, not_replaced: notReplaced };
      context.stdout.write(`${JSON.stringify({ target: place, sent, removed, ...held, kept, locked })}\n`);
    }
  },
});
