import { countNoun, defineCommand } from '../../kernel/command-api.ts';
import type { ObjectStore } from '../../kernel/internal-api.ts';
import { type Random, ServiceError } from '../../kernel/plugin-api.ts';
import type { BackupSummary } from './backup-api.ts';
import { countedBackups } from './backup-folder.ts';
import { backupSettings, stayingHere, stayingThere } from './backup-settings.ts';
import { erasureFilesOf, erasureInstants } from './erasure-journals.ts';
import { folderOption, fromOption } from './from-option.ts';
import { pruneBackups } from './prune-backups.ts';
import { pruneChains } from './prune-chains.ts';
import { withPrunePlan } from './prune-plan.ts';
import { type Retention, readRetention, retainedBackups } from './retained-backups.ts';
import { isLocked, removeSent } from './send-backups.ts';
import { isClear, listSent, type SentFiles, sentBackups } from './target-backups.ts';

const MOST_KEPT = 1_000;

export const pruneCommand = defineCommand({
  name: 'prune',
  summary: 'remove old backups from a folder or a target',
  description:
    'Keeps the newest, as many as SVC_BACKUP_KEEP says, and those that SVC_BACKUP_RETENTION adds in a target, or in the ' +
    'folder where no target is set. With --erased it removes others: see below. A locked backup stays until its lock ends. ' +
    'Increments go with their base: those of as many days stay, and with --erased those whose base is older than an erasure.',
  examples: [
    'fact-memory-node backup prune --keep 3',
    'fact-memory-node backup prune --erased --dry-run',
    'fact-memory-node backup prune --from s3://bucket/prefix --keep 3 --retention "7d 4w 12m"',
  ],
  needs: 'settings',
  settings: backupSettings,
  options: {
    out: folderOption,
    from: fromOption,
    keep: {
      type: 'integer',
      value: 'number',
      minimum: 1,
      maximum: MOST_KEPT,
      summary: 'how many of the newest stay (default: SVC_BACKUP_KEEP)',
    },
    retention: {
      type: 'text',
      value: 'periods',
      summary: 'days, weeks and months whose last backup stays as well, such as "7d 4w 12m"',
    },
    erased: {
      type: 'flag',
      summary: 'remove each backup that is older than an erasure of facts or of a tenant, and no other',
    },
    dryRun: { type: 'flag', summary: 'name what would go, and remove nothing' },
    json: { type: 'flag', summary: 'the result as JSON' },
  },
  async run({ options, config, node, objects, clock, random, stdout, stderr }) {
    if (options.erased && (options.keep !== undefined || options.retention !== undefined)) {
      throw new ServiceError('validation', '--erased excludes --keep and --retention', {
        hint: 'run one after the other',
      });
    }
    const usual = options.from === undefined ? stayingHere(config) : stayingThere(config);
    const periods = options.retention === undefined ? usual : readRetention(1, options.retention);
    const request = {
      retention: { ...periods, newest: options.keep ?? config.keep },
      isTrial: options.dryRun,
      nowMs: clock.nowMs(),
      ...(options.erased ? { erasedBy: await erasureFilesOf(node) } : {}),
    };
    const { removed, locked, sealed } =
      options.from === undefined
        ? { removed: await pruneBackups(options.out ?? config.folder, request), locked: [], sealed: [] }
        : await pruneAll(await objects.open(options.from, { mustExist: true }), {
            ...request,
            folder: config.folder,
            random,
          });
    if (options.json) stdout.write(`${JSON.stringify({ removed, locked, dry_run: options.dryRun })}\n`);
    else for (const name of removed) stdout.write(`${name}\n`);
    stderr.write(`${countNoun(removed.length, 'backup')} ${options.dryRun ? 'would be removed' : 'removed'}\n`);
    if (locked.length > 0) stderr.write(`locked, and still there: ${locked.join(', ')}\n`);
    if (sealed.length > 0) stderr.write(`not looked into, because their key is missing: ${sealed.join(', ')}\n`);
  },
});

interface TargetPrune {
  readonly retention: Retention;
  readonly erasedBy?: readonly string[];
  readonly isTrial: boolean;
  readonly nowMs: number;
  /** The folder of backups of this machine. */
  readonly folder: string;
  readonly random: Random;
}

/** Prunes the backups of a target, and its chains of increments. */
const pruneAll = async (
  target: ObjectStore,
  request: TargetPrune,
): Promise<Awaited<ReturnType<typeof pruneTarget>>> => {
  const { removed, locked, sealed } = await pruneTarget(target, request);
  const { retention, erasedBy, isTrial } = request;
  const erasedAt = erasedBy === undefined ? undefined : await erasureInstants(erasedBy);
  const chains = await pruneChains(target, { days: retention.newest, erasedAt, isTrial });
  return { removed: [...removed, ...chains.removed], locked: [...locked, ...chains.locked], sealed };
};

/** Removes backups from a target. `locked` names those that had to stay, `sealed` those whose key is missing. */
const pruneTarget = async (
  target: ObjectStore,
  { retention, erasedBy, isTrial, nowMs, folder, random }: TargetPrune,
): Promise<Record<'removed' | 'locked' | 'sealed', readonly string[]>> => {
  const sent = await sentBackups(target);
  const listed = await listSent(target, erasedBy ?? []);
  const sealed = listed.filter(({ neededKey }) => neededKey !== undefined).map(({ id }) => id);
  const gone = new Set(
    erasedBy === undefined
      ? tooMany(listed, sent, { retention, nowMs })
      : listed.filter(({ erasuresSince }) => erasuresSince > 0).map(({ id }) => id),
  );
  if (isTrial) {
    const locked = new Set<string>();
    for (const name of gone) if (await isLocked(target, name, sent.get(name))) locked.add(name);
    return { removed: [...gone].filter((name) => !locked.has(name)), locked: [...locked], sealed };
  }
  // Other unfinished backups stay there, because only the node that sends them knows whether they go on.
  const removed = await withPrunePlan({ folder, target: target.place, random }, gone, (earlier) =>
    removeSent(target, (name) => gone.has(name), earlier.size === 0 ? undefined : (name) => earlier.has(name)),
  );
  return { removed, locked: [...gone].filter((name) => !removed.includes(name)), sealed };
};

/**
 * Counts the backups of each node apart, and clear ones apart from sealed ones. Damaged ones do not count, because
 * anybody may have made them up.
 */
const tooMany = (
  listed: readonly BackupSummary[],
  sent: ReadonlyMap<string, SentFiles>,
  { retention, nowMs }: Pick<TargetPrune, 'retention' | 'nowMs'>,
): string[] => {
  const byMaker = new Map<string, string[]>();
  for (const { id, nodeId, damage } of listed) {
    const maker = JSON.stringify([nodeId, isClear(sent.get(id))]);
    if (damage === null) byMaker.set(maker, [...(byMaker.get(maker) ?? []), id]);
  }
  return [...byMaker.values()].flatMap((ids) => {
    const names = countedBackups(ids, nowMs);
    const staying = retainedBackups(names, retention);
    return names.filter((name) => !staying.has(name));
  });
};
