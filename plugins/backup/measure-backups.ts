import { type Clock, parseInstant, type Telemetry } from '../../kernel/plugin-api.ts';
import { newestBackup } from './backup-folder.ts';
import type { BackupSettings } from './backup-settings.ts';
import { readDrill } from './drill-record.ts';
import { newestSentMs, readTarget } from './target-record.ts';

export interface BackupMeasures {
  readonly telemetry: Telemetry;
  readonly clock: Clock;
  readonly config: BackupSettings;
  /** See `IncrementSender.ageMs`. */
  incrementAgeMs(): Promise<number | undefined>;
}

type Newest = NonNullable<Awaited<ReturnType<typeof newestBackup>>>;

/** Declares the gauges about backups, increments and drills. */
export const measureBackups = ({ telemetry, clock, config, incrementAgeMs }: BackupMeasures): void => {
  const gauge = (name: string, help: string, read: () => Promise<number | undefined>): void =>
    telemetry.gauge({ name, help }, async () => (await read()) ?? []);
  const ofNewest = (name: string, help: string, read: (newest: Newest) => number): void =>
    gauge(name, help, async () => {
      const newest = await newestBackup(config.folder, clock.nowMs());
      return newest && read(newest);
    });
  const ageSeconds = (sinceMs: number): number => Math.max(0, (clock.nowMs() - sinceMs) / 1_000);
  ofNewest('backup_last_success_timestamp_seconds', 'When the newest backup was begun', ({ createdAt }) =>
    Math.floor((parseInstant(createdAt) ?? 0) / 1_000),
  );
  ofNewest('backup_age_seconds', 'How long ago the newest backup was begun', ({ createdAt }) =>
    ageSeconds(parseInstant(createdAt) ?? 0),
  );
  gauge(
    'backup_drill_last_success_timestamp_seconds',
    'When the last drill ended that found a backup whole',
    async () => {
      const lastMs = (await readDrill(config.folder))?.lastWholeMs ?? null;
      return lastMs === null ? undefined : Math.floor(lastMs / 1_000);
    },
  );
  gauge('backup_drill_ok', 'Whether the last drill found its backup whole (1)', async () => {
    const last = await readDrill(config.folder);
    return last && Number(last.isWhole);
  });
  gauge('backup_target_age_seconds', 'How long ago the newest backup in the target was begun', async () => {
    const seen = config.target === undefined ? undefined : await readTarget(config.folder);
    const newestMs = seen && newestSentMs(seen, clock.nowMs());
    return newestMs === undefined ? undefined : ageSeconds(newestMs);
  });
  gauge('backup_increment_age_seconds', 'How long ago the last increment in the target was taken', async () => {
    const ageMs = await incrementAgeMs();
    return ageMs === undefined ? undefined : ageMs / 1_000;
  });
  ofNewest('backup_size_bytes', 'Size of the newest backup', ({ bytes }) => bytes);
};
