import { countNoun, defineCommand, EXIT } from '../../kernel/command-api.ts';
import type { RewrappedSeal } from '../../kernel/internal-api.ts';
import { formatInstant, ServiceError } from '../../kernel/plugin-api.ts';
import { backupSettings } from './backup-settings.ts';
import { fromOption } from './from-option.ts';

export const rewrapCommand = defineCommand({
  name: 'rewrap',
  summary: 'let the present encryption key open all backups of a target',
  description:
    'Each sealed backup has a key of its own, which the key of the operator seals. After a rotation this command seals ' +
    'those small keys anew. The backups themselves are not sent again, so it takes seconds. Put the new key on the ' +
    'first line of the source of keys, keep the former one below, run this, and then remove the former one.',
  notes: `Exit code 1 says that a backup needs a key that is not among those given, or that its seal is
damaged. The others are rewrapped all the same. Where a bucket locks objects, the former key opens a
locked backup until its lock ends, and the command says so.`,
  examples: ['fact-memory-node backup rewrap', 'fact-memory-node backup rewrap --from s3://bucket/prefix'],
  needs: 'settings',
  settings: backupSettings,
  options: { from: fromOption, json: { type: 'flag', summary: 'the result as JSON' } },
  async run({ options, config, objects, stdout, stderr }) {
    const place = options.from ?? config.target;
    if (place === undefined) throw noPlace();
    const target = await objects.open(place);
    if (target.rewrap === undefined) throw noKey();
    const seals: RewrappedSeal[] = [];
    for await (const seal of target.rewrap()) seals.push(seal);
    const of = (state: RewrappedSeal['state']): RewrappedSeal[] => seals.filter((seal) => seal.state === state);
    const [done, current, unknown, damaged] = [of('done'), of('current'), of('unknown'), of('damaged')];
    if (options.json) stdout.write(`${JSON.stringify({ target: target.place, backups: seals.map(sealJson) })}\n`);
    else for (const { folder } of done) stdout.write(`${folder}\n`);
    stderr.write(`${countNoun(done.length, 'backup')} rewrapped, ${current.length} had the present key already\n`);
    for (const { folder, keyId, lock } of done) {
      if (lock !== null)
        stderr.write(`${folder}: locked, so the key ${keyId} still opens it ${untilOf(lock.untilMs)}\n`);
    }
    for (const { folder, keyId } of unknown) stderr.write(`${folder}: needs the key ${keyId}, which is not given\n`);
    for (const { folder } of damaged) stderr.write(`${folder}: its seal is damaged, or of a newer version\n`);
    return unknown.length + damaged.length === 0 ? EXIT.ok : EXIT.failed;
  },
});

const sealJson = ({ folder, state, keyId, lock }: RewrappedSeal): object => ({
  id: folder,
  state,
  former_key_id: keyId,
  locked: lock !== null,
  locked_until: lock?.untilMs == null ? null : formatInstant(lock.untilMs),
});

const untilOf = (untilMs: number | null): string => (untilMs === null ? 'for ever' : `until ${formatInstant(untilMs)}`);

const noPlace = (): ServiceError =>
  new ServiceError('validation', 'there is no target whose backups could be rewrapped', {
    hint: 'give --from, or set SVC_BACKUP_TARGET',
  });

const noKey = (): ServiceError =>
  new ServiceError('validation', 'this node has no encryption key', {
    hint: 'give the new key and the former one in SVC_ENCRYPTION_KEY_FILE or SVC_ENCRYPTION_KEY_COMMAND',
  });
