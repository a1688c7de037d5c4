import { countNoun, defineCommand, EXIT } from '../../kernel/command-api.ts';
import type { Clock, ObjectStores } from '../../kernel/plugin-api.ts';
import { checkPoint } from './assemble-chain.ts';
import { StoreVerification, type VerifiedStore } from './backup-api.ts';
import { pathOfBackup } from './backup-folder.ts';
import { backupSettings } from './backup-settings.ts';
import { checkBackup } from './check-files.ts';
import { atOption, fromOption } from './from-option.ts';
import { gapJson, showGap } from './increment-chains.ts';
import type { Manifest } from './manifest-json.ts';
import { requireCurrent } from './require-current.ts';
import { showBytes } from './show-bytes.ts';
import { showWork } from './show-work.ts';
import { checkSent, chosenBackup } from './target-backups.ts';

export const verifyCommand = defineCommand({
  name: 'verify',
  topic: 'node',
  summary: 'find out whether the store, or a backup, is whole',
  description:
    'Reads the whole store and compares what belongs together: tables and their indexes, facts and their content ids, ' +
    'what they end and when they expire, who wins where they contradict each other, edges, the ledgers, the chain of ' +
    'facts, the chain of the audit log, and the search index. Each plugin brings its own checks. Changes nothing, and ' +
    'may run beside a node. With --backup it reads every file of a backup and compares it with its digest. With --from ' +
    'it does so in a target, and keeps nothing of what it reads. With --at it reads the increments of a target up to that ' +
    'point in time, and compares each with the next.',
  notes: 'Exit code 1 says that something was found. Nothing is repaired: restore a backup.',
  examples: [
    'fact-memory-node verify',
    'fact-memory-node verify --backup backup-20261123T021500123Z-1a2b3c4d',
    'fact-memory-node verify --from s3://bucket/prefix',
    'fact-memory-node verify --from s3://bucket/prefix --at latest',
  ],
  needs: 'store',
  settings: backupSettings,
  options: {
    backup: {
      type: 'text',
      value: 'folder',
      summary: 'name of a backup, or path of its folder (default with --from: the newest)',
    },
    from: fromOption,
    at: atOption,
    json: { type: 'flag', summary: 'the result as JSON' },
  },
  async run(context) {
    const { options, config, objects, clock, store, withNode, stdout, stderr, progress: show } = context;
    const bar = showWork(show, options.backup === undefined && options.from === undefined ? 'entries' : 'bytes');
    try {
      if (options.at !== undefined) {
        const request = { ...context, ...options, at: options.at };
        const checked = await checkPoint({ ...request, onProgress: (done, total) => bar.update(done, total) });
        const { chain, increments, bytes, pointInTime, gaps } = checked;
        const found = { chain, increments, bytes, point_in_time: pointInTime, gaps: gaps.map(gapJson) };
        if (options.json) stdout.write(`${JSON.stringify({ ok: true, ...found })}\n`);
        else
          stdout.write(`${chain}: ${countNoun(increments, 'increment')}, ${showBytes(bytes)}, up to ${pointInTime}\n`);
        if (!options.json) for (const gap of gaps) stderr.write(showGap(gap));
        return EXIT.ok;
      }
      if (options.backup !== undefined || options.from !== undefined) {
        const { id, copy } = await checkedBackup({ ...options, folder: config.folder, objects, clock }, (done, total) =>
          bar.update(done, total),
        );
        const bytes = copy.files.reduce((sum, file) => sum + file.bytes, 0);
        if (options.json)
          stdout.write(`${JSON.stringify({ ok: true, backup: id, files: copy.files.length, bytes })}\n`);
        else
          stdout.write(
            `${id}: ${countNoun(copy.files.length, 'file')}, ${showBytes(bytes)}, all as they were written\n`,
          );
        return EXIT.ok;
      }
      await requireCurrent(store);
      const verified = await withNode({ verification: StoreVerification }, ({ use }) =>
        use.verification.run(({ done, total, unit }) => bar.update(done, total, unit)),
      );
      const isWhole = verified.checks.every(({ findings }) => findings === 0);
      if (options.json) stdout.write(`${JSON.stringify(verifiedJson(verified, isWhole))}\n`);
      else tell(verified, (line) => stdout.write(`${line}\n`));
      if (!isWhole) stderr.write('the store is not whole\n');
      return isWhole ? EXIT.ok : EXIT.failed;
    } finally {
      bar.end();
    }
  },
});

const checkedBackup = async (
  given: {
    readonly backup: string | undefined;
    readonly from: string | undefined;
    readonly folder: string;
    readonly objects: ObjectStores;
    readonly clock: Clock;
  },
  onProgress: (doneBytes: number, totalBytes: number) => void,
): Promise<Manifest> => {
  const { backup, from, folder, objects, clock } = given;
  if (from === undefined) return checkBackup(pathOfBackup(folder, backup ?? ''), onProgress);
  const target = await objects.open(from, { mustExist: true });
  return checkSent(target, await chosenBackup(target, backup, clock.nowMs()), onProgress);
};

const verifiedJson = ({ checks, entries, findings }: VerifiedStore, ok: boolean): object => ({
  ok,
  entries,
  checks,
  findings: findings.map(({ check, tenantId, message, hint }) => ({ check, tenant_id: tenantId, message, hint })),
  truncated: checks.reduce((sum, one) => sum + one.findings, 0) > findings.length,
});

const tell = ({ checks, entries, findings }: VerifiedStore, say: (line: string) => void): void => {
  const width = Math.max(...checks.map(({ name }) => name.length)) + 1;
  for (const { name, findings: count, note } of checks)
    say(
      `${name.padEnd(width)}${count === 0 ? 'holds' : countNoun(count, 'finding')}${note === undefined ? '' : ` (${note})`}`,
    );
  for (const { check, tenantId, message, hint } of findings)
    say(`${check}: ${message}${tenantId === null ? '' : ` (tenant ${tenantId})`}\n  ${hint}`);
  say(`${countNoun(entries, 'entry', 'entries')} of ledgers`);
};
