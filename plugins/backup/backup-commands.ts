import { type CommandGroup, type CommandOption, defineCommand } from '../../kernel/command-api.ts';
import { ServiceError } from '../../kernel/plugin-api.ts';
import type { BackupSummary } from './backup-api.ts';
import { listBackups } from './backup-folder.ts';
import { summaryJson } from './backup-json.ts';
import { backupSettings, erasureFilesOf } from './backup-settings.ts';
import { createBackup } from './create-backup.ts';
import { pruneBackups } from './prune-backups.ts';
import { showBytes } from './show-bytes.ts';
import { showWork } from './show-work.ts';

const json = { type: 'flag', summary: 'the result as JSON' } as const satisfies CommandOption;
const folderOption = {
  type: 'text',
  value: 'folder',
  summary: 'folder of the backups (default: SVC_BACKUP_FOLDER, or "backups" beside the store)',
} as const satisfies CommandOption;

const createCommand = defineCommand({
  name: 'create',
  summary: 'make a backup now; the node may go on serving',
  description:
    'Copies the store as of one moment into a new folder, and then removes the oldest backups that are more than ' +
    'SVC_BACKUP_KEEP. Reads and writes go on meanwhile. Needs no running node. The copy of an SQLite store gets a ' +
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
  async run({ options, config, node, store, clock, random, stdout, stderr, progress: show }) {
    const folder = options.out ?? config.folder;
    const bar = showWork(show, 'bytes');
    try {
      const made = await store.withCopies((copies) =>
        createBackup(
          { copies, clock, random, folder, keep: config.keep },
          {
            keysFrom: options.withKey ? node.dataFolder : undefined,
            onProgress: (done, total) => bar.update(done, total),
          },
        ),
      );
      if (options.json) stdout.write(`${JSON.stringify({ ...summaryJson(made), path: made.path })}\n`);
      else stdout.write(`${made.path}\n`);
      stderr.write(`${made.facts} facts, ${showBytes(made.bytes)}\n`);
      if (made.removed.length > 0) stderr.write(`removed: ${made.removed.join(', ')}\n`);
    } finally {
      bar.end();
    }
  },
});

const listCommand = defineCommand({
  name: 'list',
  summary: 'list the backups of a folder, newest first',
  description: 'Needs neither node nor store. "erased since" counts erasures that a backup may be older than.',
  examples: ['fact-memory-node backup list'],
  needs: 'settings',
  settings: backupSettings,
  options: { out: folderOption, json },
  async run({ options, config, node, stdout, stderr, table }) {
    const found = await listBackups(options.out ?? config.folder, erasureFilesOf(node));
    if (options.json) stdout.write(`${JSON.stringify({ backups: found.map(summaryJson) })}\n`);
    else if (found.length > 0) stdout.write(table([TITLES, ...found.map(rowOf)], { titled: true }));
    if (found.length === 0) stderr.write(`there is no backup in ${options.out ?? config.folder}\n`);
    if (found.some(({ erasuresSince }) => erasuresSince > 0)) {
      stderr.write('"fact-memory-node backup prune --erased" removes backups that may hold what was erased since\n');
    }
  },
});

const TITLES = ['backup', 'made', 'facts', 'size', 'key', 'erased since'];

const rowOf = ({ id, createdAt, facts, bytes, hasKey, erasuresSince, isReadable }: BackupSummary): string[] =>
  isReadable
    ? [id, createdAt, String(facts), showBytes(bytes), hasKey ? 'yes' : 'no', String(erasuresSince)]
    : [id, 'damaged', '-', '-', '-', '-'];

const pruneCommand = defineCommand({
  name: 'prune',
  summary: 'remove old backups',
  description: 'Keeps the newest, as many as SVC_BACKUP_KEEP says. With --erased it removes others: see below.',
  examples: ['fact-memory-node backup prune --keep 3', 'fact-memory-node backup prune --erased --dry-run'],
  needs: 'settings',
  settings: backupSettings,
  options: {
    out: folderOption,
    keep: {
      type: 'integer',
      value: 'number',
      minimum: 1,
      maximum: 1_000,
      summary: 'how many of the newest stay (default: SVC_BACKUP_KEEP)',
    },
    erased: {
      type: 'flag',
      summary: 'remove each backup that is older than an erasure of facts or of a tenant, and no other',
    },
    dryRun: { type: 'flag', summary: 'name what would go, and remove nothing' },
    json,
  },
  async run({ options, config, node, stdout, stderr }) {
    if (options.erased && options.keep !== undefined) {
      throw new ServiceError('validation', '--erased and --keep exclude each other', {
        hint: 'run one after the other',
      });
    }
    const folder = options.out ?? config.folder;
    const removed = await pruneBackups(folder, {
      keep: options.keep ?? config.keep,
      isTrial: options.dryRun,
      ...(options.erased ? { erasedBy: erasureFilesOf(node) } : {}),
    });
    if (options.json) stdout.write(`${JSON.stringify({ removed, dry_run: options.dryRun })}\n`);
    else for (const name of removed) stdout.write(`${name}\n`);
    stderr.write(`${removed.length} backups ${options.dryRun ? 'would be removed' : 'removed'}\n`);
  },
});

export const backupCommands: CommandGroup = {
  name: 'backup',
  topic: 'node',
  usual: 'create',
  summary: 'make a backup of the store, list backups, remove old ones',
  description:
    'A backup is a folder with a copy of the store as of one moment, and a manifest with the digest of every file.',
  examples: ['fact-memory-node backup', 'fact-memory-node backup list', 'fact-memory-node restore backup-…'],
  commands: [createCommand, listCommand, pruneCommand],
};
