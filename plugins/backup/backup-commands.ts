import {
  type CommandGroup,
  type CommandOption,
  countNoun,
  defineCommand,
  shellQuote,
} from '../../kernel/command-api.ts';
import { formatInstant, ServiceError } from '../../kernel/plugin-api.ts';
import type { BackupSummary } from './backup-api.ts';
import { listBackups } from './backup-folder.ts';
import { summaryJson } from './backup-json.ts';
import { backupSettings, stayingHere } from './backup-settings.ts';
import { createBackup } from './create-backup.ts';
import { drillCommand } from './drill-command.ts';
import { erasureFilesOf, erasureInstants } from './erasure-journals.ts';
import { folderOption, fromOption } from './from-option.ts';
import { gapJson, longGaps, type SentChain, sentChains, showGap } from './increment-chains.ts';
import { isOlder } from './prune-chains.ts';
import { pruneCommand } from './prune-command.ts';
import { rewrapCommand } from './rewrap-command.ts';
import { sendCommand, sendShown } from './send-command.ts';
import { showBytes } from './show-bytes.ts';
import { showWork } from './show-work.ts';
import { listSent } from './target-backups.ts';

const json = { type: 'flag', summary: 'the result as JSON' } as const satisfies CommandOption;

const createCommand = defineCommand({
  name: 'create',
  summary: 'make a backup now; the node may go on serving',
  description:
    'Copies the store as of one moment into a new folder, and then removes the oldest backups that are more than ' +
    'SVC_BACKUP_KEEP. With SVC_BACKUP_TARGET it then sends what the target lacks, unless --out is given. ' +
    'Reads and writes go on meanwhile. Needs no running node. The copy of an SQLite store gets a ' +
    'quick check of its pages (quick_check); "verify" checks the store itself, with its indexes.',
  notes: `The private key of the node is not part of a backup unless --with-key is given. Without
it a restored node is another node: keep node.key, taken once, where you keep secrets.`,
  examples: ['fact-memory-node backup', 'fact-memory-node backup create --out /mnt/other-disk/backups --with-key'],
  needs: 'store',
  settings: backupSettings,
  options: {
    out: folderOption,
    withKey: { type: 'flag', summary: 'put the private key of the node into the backup' },
    json,
  },
  async run(context) {
    const { options, config, node, store, clock, random, stdout, stderr, progress: show } = context;
    const folder = options.out ?? config.folder;
    const bar = showWork(show, 'bytes');
    try {
      const made = await store.withCopies((copies) =>
        createBackup(
          { copies, clock, random, node, folder, retention: stayingHere(config) },
          {
            keysFrom: options.withKey ? node.dataFolder : undefined,
            onProgress: (done, total) => bar.update(done, total),
          },
        ),
      );
      if (options.json) stdout.write(`${JSON.stringify({ ...summaryJson(made), path: made.path })}\n`);
      else stdout.write(`${made.path}\n`);
      stderr.write(`${countNoun(made.facts, 'fact')}, ${showBytes(made.bytes)}\n`);
      if (made.removed.length > 0) stderr.write(`removed: ${made.removed.join(', ')}\n`);
    } finally {
      bar.end();
    }
    if (config.target !== undefined && options.out === undefined) await sendShown(context).catch(madeButNotSent);
  },
});

/** Says that the backup was made all the same, because the failure of the whole command seems to deny it. */
const madeButNotSent = (error: unknown): never => {
  if (!(error instanceof ServiceError)) throw error;
  const { code: id, status, message, hint, members } = error;
  const later = '"fact-memory-node backup send" tries again';
  throw new ServiceError({ id, status }, `${message}; the backup is in the folder, and sending failed`, {
    hint: hint === undefined ? later : `${hint}; ${later}`,
    members,
    cause: error,
  });
};

const listCommand = defineCommand({
  name: 'list',
  summary: 'list the backups of a folder or a target, newest first',
  description:
    'Needs neither node nor store. "node key" says whether a backup holds the private key of the node, and "sealed" ' +
    'whether one in a target is encrypted. "erased since" counts erasures that a backup may be older than.',
  examples: ['fact-memory-node backup list', 'fact-memory-node backup list --from s3://bucket/prefix'],
  needs: 'settings',
  settings: backupSettings,
  options: { out: folderOption, from: fromOption, json },
  async run({ options, config, node, objects, stdout, stderr, table }) {
    const folder = options.out ?? config.folder;
    const target = options.from === undefined ? undefined : await objects.open(options.from, { mustExist: true });
    const erasureFiles = await erasureFilesOf(node);
    const found: readonly Listed[] = await (target === undefined
      ? listBackups(folder, erasureFiles)
      : listSent(target, erasureFiles));
    const chains = target === undefined ? [] : await sentChains(target);
    const sent = target === undefined ? {} : { chains: chains.map(chainJson), gaps: longGaps(chains).map(gapJson) };
    if (options.json) stdout.write(`${JSON.stringify({ backups: found.map(listedJson), ...sent })}\n`);
    else if (found.length > 0) stdout.write(table(rowsOf(found, target !== undefined), { titled: true }));
    if (found.length === 0 && chains.length === 0) stderr.write(`there is no backup in ${target?.place ?? folder}\n`);
    for (const { id, damage, neededKey } of found) {
      if (damage !== null) stderr.write(neededKey === undefined ? `${id}: damaged: ${damage}\n` : `${damage}\n`);
    }
    if (!options.json)
      for (const line of [...chains.map(chainLine), ...longGaps(chains).map(showGap)]) stderr.write(line);
    const erasedAt = await erasureInstants(erasureFiles);
    if (found.some(({ erasuresSince }) => erasuresSince > 0) || chains.some((chain) => isOlder(chain, erasedAt))) {
      stderr.write(`"${pruning(options)}" removes backups that may hold what was erased since\n`);
    }
  },
});

/** Spells the command that removes these backups, so that it works as it is shown. */
const pruning = ({ from, out }: Readonly<Record<'from' | 'out', string | undefined>>): string => {
  const place = Object.entries({ from, out }).flatMap(([name, text]) =>
    text === undefined ? [] : [`--${name}`, text],
  );
  const words = place.slice(0, 2).map(shellQuote);
  return ['fact-memory-node backup prune --erased', ...words].join(' ');
};

const chainJson = ({ name, increments, brokenAt, fromMs, untilMs, isClear }: SentChain): object => ({
  id: name,
  from: formatInstant(fromMs),
  until: formatInstant(untilMs),
  increments: increments.length,
  bytes: bytesOf(increments),
  broken_at: brokenAt ?? null,
  in_the_clear: isClear,
});

const chainLine = ({ name, increments, brokenAt, fromMs, untilMs }: SentChain): string => {
  const reached = `any point in time from ${formatInstant(fromMs)} to ${formatInstant(untilMs)}`;
  const broken = brokenAt === undefined ? '' : `; the increment ${brokenAt} does not follow, so nothing after that`;
  return `${name}: ${reached}, ${showBytes(bytesOf(increments))}${broken}\n`;
};

const bytesOf = (increments: SentChain['increments']): number => increments.reduce((sum, { bytes }) => sum + bytes, 0);

/** A backup of the folder, or one of a target, where alone backups are sealed. */
type Listed = BackupSummary & { readonly isSealed?: boolean };

const listedJson = (backup: Listed): object => ({
  ...summaryJson(backup),
  ...(backup.isSealed !== undefined && { sealed: backup.isSealed }),
});

const rowsOf = (found: readonly Listed[], isTarget: boolean): string[][] => [
  ['backup', 'made', 'facts', 'size', 'node key', ...(isTarget ? ['sealed'] : []), 'erased since'],
  ...found.map(rowOf),
];

const rowOf = (backup: Listed): string[] => {
  const { id, createdAt, facts, bytes, hasKey, isSealed, erasuresSince, damage, neededKey } = backup;
  const sealed = isSealed === undefined ? [] : [yesOrNo(isSealed)];
  return damage === null
    ? [id, createdAt, String(facts), showBytes(bytes), yesOrNo(hasKey), ...sealed, String(erasuresSince)]
    : [id, neededKey === undefined ? 'damaged' : 'sealed', '-', '-', '-', ...sealed, '-'];
};

const yesOrNo = (is: boolean): string => (is ? 'yes' : 'no');

export const backupCommands: CommandGroup = {
  name: 'backup',
  topic: 'node',
  usual: 'create',
  summary: 'make a backup of the store, send, list and try backups, remove old ones',
  description:
    'A backup is a folder with a copy of the store as of one moment, and a manifest with the digest of every file.',
  examples: ['fact-memory-node backup', 'fact-memory-node backup list', 'fact-memory-node restore backup-…'],
  commands: [createCommand, sendCommand, listCommand, pruneCommand, drillCommand, rewrapCommand],
};
