import { readFile, rm } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { type CommandContext, countNoun, defineCommand } from '../../kernel/command-api.ts';
import { readSecretFile, writeSecretFile } from '../../kernel/internal-api.ts';
import { type Clock, formatInstant, type ObjectStores, ServiceError } from '../../kernel/plugin-api.ts';
import { removeAssemblies, withPoint } from './assemble-chain.ts';
import { pathOfBackup, summaryOf } from './backup-folder.ts';
import { summaryJson } from './backup-json.ts';
import { type BackupSettings, backupSettings } from './backup-settings.ts';
import { checkBackup } from './check-files.ts';
import { erasureFilesOf, erasureInstants } from './erasure-journals.ts';
import { DISK_OF_BACKUPS, DISK_OF_STORE, explainDisk } from './explain-disk.ts';
import { fetchBackup } from './fetch-backup.ts';
import { atOption, fromOption } from './from-option.ts';
import type { Manifest } from './manifest-json.ts';
import { missingJournalsWarning } from './missing-journals.ts';
import { showBytes } from './show-bytes.ts';
import { showWork } from './show-work.ts';
import { chosenBackup } from './target-backups.ts';

export const restoreCommand = defineCommand({
  name: 'restore',
  topic: 'node',
  summary: 'put a backup into the place of the store',
  description:
    'Compares every file of the backup with its digest, and then puts the store back: upgraded to this version, in a new ' +
    'epoch, and with its clock ahead of every stamp that may have been given since. What was written after the backup is ' +
    'gone. The store comes into its place whole or not at all.',
  notes: `Stop every process on the store first; the command refuses while one runs. Where there is
a store already, it refuses too, unless --replace is given: that keeps the old store aside
and says where. The next start erases, hides and revokes again what was erased, hidden and
revoked since the backup, by files in the data folder; the command names those that are not
there. With --from the backup is first fetched into the folder of
backups, and stays there. With --at the store is put together from the increments that the
node has sent (SVC_BACKUP_INCREMENT_SECONDS), and every one of them is compared with the next.`,
  examples: [
    'fact-memory-node restore backup-20261123T021500123Z-1a2b3c4d',
    'fact-memory-node restore /mnt/other-disk/backups/backup-20261123T021500123Z-1a2b3c4d --replace',
    'fact-memory-node restore --from s3://bucket/prefix',
    'fact-memory-node restore --from s3://bucket/prefix --at 2026-11-26T12:00:00Z',
  ],
  needs: 'store',
  settings: backupSettings,
  arguments: {
    backup: { summary: 'name of a backup, or path of its folder (default with --from: the newest)', optional: true },
  },
  options: {
    from: fromOption,
    at: atOption,
    replace: { type: 'flag', summary: 'keep a store that is there aside, and restore in its place' },
    json: { type: 'flag', summary: 'the result as JSON' },
  },
  async run(context) {
    const { arguments: given, options, config, node, progress: show } = context;
    const bar = showWork(show, 'bytes');
    const onFetched = (done: number, total: number): void => bar.update(done, total, 'bytes fetched');
    const onBytes = (done: number, total: number | null): void => bar.update(done, total);
    const place = { folder: config.folder, node };
    try {
      await removeAssemblies(place);
      if (options.at === undefined) {
        const path = await placeOf(context, onFetched);
        await restoreFrom(context, path, await checkBackup(path, onBytes), onBytes);
        return;
      }
      if (given.backup !== undefined) throw oneOfBoth();
      const request = { ...context, ...options, at: options.at, onProgress: onFetched };
      await explainDisk(DISK_OF_BACKUPS, () =>
        withPoint(place, request, (path, manifest) => restoreFrom(context, path, manifest, onBytes)),
      );
    } finally {
      bar.end();
    }
  },
});

type Restoring = Pick<
  CommandContext<Record<never, never>, Record<never, never>, 'store', Record<never, never>, BackupSettings>,
  'node' | 'store' | 'objects' | 'clock' | 'random' | 'stdout' | 'stderr'
> & {
  readonly options: {
    readonly replace: boolean;
    readonly json: boolean;
    readonly at: string | undefined;
    readonly from: string | undefined;
  };
};

const restoreFrom = async (
  { options, node, store, objects, clock, random, stdout, stderr }: Restoring,
  path: string,
  manifest: Manifest,
  onProgress: (doneBytes: number, totalBytes: number | null) => void,
): Promise<void> => {
  // The keys of a sealed store lie beside its backups.
  const keysIn =
    options.from === undefined ? { folder: dirname(resolve(path)) } : { target: await objects.open(options.from) };
  // First, because a command that is killed after it put the store back refuses to do so again.
  const { key, placed } = await placeKeys(path, node.dataFolder, manifest, random);
  const restored = await explainDisk(DISK_OF_STORE, () =>
    store.restore({
      folder: path,
      copy: manifest.copy,
      keysIn,
      replaces: options.replace,
      label: labelOf(clock.nowMs(), random.uuid()),
      onProgress,
    }),
  ).catch(async (error: unknown) => {
    const isRefused = error instanceof ServiceError && error.status < 500;
    if (isRefused) for (const file of placed) await rm(file, { force: true });
    throw error;
  });
  const erasedAt = await erasureInstants(await erasureFilesOf(node));
  const summary = summaryOf(manifest, erasedAt, manifest.id);
  // When a store is kept aside, the data folder belongs to that store, so no journal was lost.
  if (restored.keptAside === null) stderr.write((await missingJournalsWarning(node)) ?? '');
  if (options.json) {
    stdout.write(`${JSON.stringify({ ...summaryJson(summary), kept_aside: restored.keptAside, node_key: key })}\n`);
    return;
  }
  const lines = [
    ['Store', node.storeLocation],
    ['Backup', `${manifest.id}, ${countNoun(summary.facts, 'fact')}, ${showBytes(summary.bytes)}`],
    ...(options.at === undefined ? [] : [['As of', `the last commit, ${manifest.createdAt}`]]),
    ['Epoch', 'a new one'],
    ['Clock', `from ${formatInstant(restored.fromMs)} to ${formatInstant(restored.toMs)}`],
    ...(restored.keptAside === null ? [] : [['Kept aside', restored.keptAside]]),
    ['Node key', KEY_WORDS[key]],
    ...(summary.erasuresSince === 0
      ? []
      : [['Erasures', `${summary.erasuresSince} since; the next start repeats them`]]),
  ];
  stdout.write(lines.map(([name = '', text = '']) => `${name.padEnd(11)}${text}\n`).join(''));
  stderr.write('"fact-memory-node verify" shows that the store is whole; then start the node\n');
};

const oneOfBoth = (): ServiceError =>
  new ServiceError('validation', 'a backup and --at are given, and only one of both counts', {
    hint: 'leave the backup out: --at takes the increments of the target',
  });

interface RestorePlace {
  readonly arguments: { readonly backup: string | undefined };
  readonly options: { readonly from: string | undefined };
  readonly config: BackupSettings;
  readonly objects: ObjectStores;
  readonly clock: Clock;
}

/** Returns the path of the folder to restore from, and fetches it first when it lies in a target. */
const placeOf = async (
  { arguments: { backup }, options, config, objects, clock }: RestorePlace,
  onProgress: (doneBytes: number, totalBytes: number) => void,
): Promise<string> => {
  if (options.from === undefined) {
    if (backup !== undefined) return pathOfBackup(config.folder, backup);
    throw new ServiceError('validation', 'a backup is missing', {
      hint: '"fact-memory-node backup list" shows which there are; --from takes the newest of a target',
    });
  }
  const target = await objects.open(options.from, { mustExist: true });
  return fetchBackup(target, await chosenBackup(target, backup, clock.nowMs()), config.folder, onProgress);
};

/** Returns the suffix for former files that are kept under another name. */
const labelOf = (nowMs: number, uuid: string): string =>
  `before_${new Date(nowMs).toISOString().replaceAll(/\D/g, '').slice(0, 14)}_${uuid.slice(0, 8)}`;

type KeyState = 'restored' | 'there' | 'other' | 'missing';

const KEY_WORDS: Readonly<Record<KeyState, string>> = {
  restored: 'put back from the backup',
  there: 'the one that is there stays',
  other: 'another one is there than in the backup, and stays: compare the two',
  missing: 'not in the backup: put node.key into the data folder, or the node will not start',
};

/** Never replaces an existing key. `placed` are the files that are new. */
const placeKeys = async (
  from: string,
  to: string,
  { keyFiles }: Manifest,
  random: Parameters<typeof writeSecretFile>[2],
): Promise<{ readonly key: KeyState; readonly placed: readonly string[] }> => {
  const placed: string[] = [];
  let key: KeyState = (await readSecretFile(join(to, 'node.key'))) === undefined ? 'missing' : 'there';
  for (const { name } of keyFiles) {
    const secret = (await readFile(join(from, name), 'utf8')).trim();
    const isNew = await writeSecretFile(join(to, name), secret, random);
    if (isNew) placed.push(join(to, name));
    if (name !== 'node.key') continue;
    if (isNew) key = 'restored';
    else key = (await readSecretFile(join(to, name))) === secret ? 'there' : 'other';
  }
  return { key, placed };
};
