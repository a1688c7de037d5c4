import { defineCommand, EXIT } from '../../kernel/command-api.ts';
import type { ObjectStore } from '../../kernel/internal-api.ts';
import { type Clock, ServiceError } from '../../kernel/plugin-api.ts';
import { StoreSamples } from './backup-api.ts';
import { manifestIn, newestBackup, pathOfBackup } from './backup-folder.ts';
import { backupSettings } from './backup-settings.ts';
import { untilStopped } from './drill-place.ts';
import { recordDrill } from './drill-record.ts';
import { fromOption } from './from-option.ts';
import { requireCurrent } from './require-current.ts';
import { type DrillResult, runDrill } from './run-drill.ts';
import { showWork } from './show-work.ts';
import { chosenBackup } from './target-backups.ts';

export const drillCommand = defineCommand({
  name: 'drill',
  summary: 'restore a backup into a throw-away place, and check it there',
  description:
    'Restores the newest backup, or the named one, runs the checks of "verify" on the result, and compares random facts ' +
    'with the store in use: their values and their provenance, and that erased facts stay erased. Then it removes the ' +
    'place again. The node may go on serving. The place is a folder beside the backups, and for PostgreSQL a database ' +
    'of its own on the same server.',
  notes: `Exit code 1 says that a restore would not bring the store back whole. It needs free space as large
as the backup, twice with --from. For PostgreSQL the user of the database needs CREATEDB. A
schedule runs it by the task "drill": SVC_UPKEEP_SCHEDULE="drill 0 5 * * 0".`,
  examples: ['fact-memory-node backup drill', 'fact-memory-node backup drill --from s3://bucket/prefix'],
  needs: 'store',
  settings: backupSettings,
  arguments: { backup: { summary: 'name of a backup, or path of its folder (default: the newest)', optional: true } },
  options: { from: fromOption, json: { type: 'flag', summary: 'the result as JSON' } },
  async run(context) {
    const { options, config, node, store, spare, objects, withNode, clock, random, stdout, stderr } = context;
    const target = options.from === undefined ? undefined : await objects.open(options.from, { mustExist: true });
    const backup = await chosen(target, context.arguments.backup, config.folder, clock);
    await requireCurrent(store);
    const bar = showWork(context.progress, 'bytes');
    const { folder } = config;
    const parts = {
      folder,
      node,
      random,
      target,
      spare,
      withLive: <T>(work: (samples: StoreSamples) => Promise<T>) =>
        withNode({ samples: StoreSamples }, ({ use }) => work(use.samples)),
      onProgress: (done: number, total: number | null, unit: string) => bar.update(done, total, unit),
    };
    // Within the lease, so that a drill which another one keeps out records nothing.
    const drill = async (nodeId: string | null, signal: AbortSignal): Promise<DrillResult> => {
      try {
        const result = await runDrill({ ...parts, nodeId, signal }, backup);
        await recordDrill(folder, { isWhole: isGood(result), nowMs: clock.nowMs() }, random);
        return result;
      } catch (error) {
        signal.throwIfAborted();
        await recordDrill(folder, { isWhole: false, nowMs: clock.nowMs() }, random).catch(() => {});
        throw error;
      }
    };
    try {
      const result = await untilStopped((signal) =>
        store.withCopies(async (copies) => {
          const nodeId = await copies.nodeId();
          return copies.alone(() => drill(nodeId, signal), 'drill');
        }),
      );
      const isWhole = isGood(result);
      bar.end();
      if (options.json) stdout.write(`${JSON.stringify(resultJson(result, isWhole))}\n`);
      else stdout.write(summaryOf(result));
      if (!isWhole) stderr.write('this backup would not bring the store back whole\n');
      return isWhole ? EXIT.ok : EXIT.failed;
    } finally {
      bar.end();
    }
  },
});

/** Returns the backup to drill. Rejects for a name that is no backup, before anything is recorded. */
const chosen = async (
  target: ObjectStore | undefined,
  given: string | undefined,
  folder: string,
  clock: Clock,
): Promise<string> => {
  if (target !== undefined) return chosenBackup(target, given, clock.nowMs());
  if (given !== undefined) await requireBackup(pathOfBackup(folder, given));
  const found = given ?? (await newestBackup(folder, clock.nowMs()))?.id;
  if (found !== undefined) return found;
  throw new ServiceError('lookup', `there is no backup in ${folder}`, { hint: '"fact-memory-node backup" makes one' });
};

/** A backup with a damaged manifest passes, so that the drill of it fails and is recorded. */
const requireBackup = async (path: string): Promise<void> => {
  await manifestIn(path).catch((error: { readonly code?: unknown }) => {
    if (error.code !== 'validation') throw error;
  });
};

const isGood = ({ verified, differences }: DrillResult): boolean =>
  differences.length === 0 && verified.checks.every(({ findings }) => findings === 0);

const summaryOf = ({ backup, verified, compared, erasedSince, differences }: DrillResult): string => {
  const broken = verified.checks.filter(({ findings }) => findings > 0).length;
  const checks = `checks that hold: ${verified.checks.length - broken} of ${verified.checks.length}`;
  const erased = erasedSince === 0 ? '' : ` (${erasedSince} of them erased since this backup)`;
  const equal = `facts that are equal: ${compared - differences.length} of ${compared} compared${erased}`;
  return [
    ...verified.findings.map(({ check, message, hint }) => `${check}: ${message}\n  ${hint}\n`),
    ...differences.map(({ tenantId, factId, message }) => `the fact ${factId} of the tenant ${tenantId} ${message}\n`),
    `${backup}: restored; ${checks}; ${equal}\n`,
  ].join('');
};

const resultJson = ({ backup, verified, compared, erasedSince, differences }: DrillResult, ok: boolean): object => ({
  ok,
  backup,
  entries: verified.entries,
  checks: verified.checks,
  findings: verified.findings.map(({ check, tenantId, message, hint }) => ({
    check,
    tenant_id: tenantId,
    message,
    hint,
  })),
  compared,
  erased_since: erasedSince,
  differences: differences.map(({ tenantId, factId, message }) => ({ tenant_id: tenantId, fact_id: factId, message })),
});
