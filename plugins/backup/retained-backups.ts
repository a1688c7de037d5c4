import { ServiceError } from '../../kernel/plugin-api.ts';
import { startOfBackup } from './backup-folder.ts';

/** The backups that stay: the newest, and the newest of so many days, weeks and months with a backup. */
export interface Retention {
  readonly newest: number;
  readonly days: number;
  readonly weeks: number;
  readonly months: number;
}

const DAY_MS = 86_400_000;
/** 1970-01-01 was a Thursday, and weeks begin on Mondays. */
const DAYS_BEFORE_THURSDAY = 3;
const MONTHS_A_YEAR = 12;

const PERIODS = {
  days: (ms: number) => Math.floor(ms / DAY_MS),
  weeks: (ms: number) => Math.floor((Math.floor(ms / DAY_MS) + DAYS_BEFORE_THURSDAY) / 7),
  months: (ms: number) => new Date(ms).getUTCFullYear() * MONTHS_A_YEAR + new Date(ms).getUTCMonth(),
} as const;

/** Reads `7d 4w 12m`, in any order and with any part left out. */
export const readRetention = (newest: number, text: string): Retention => {
  const counts: Record<string, number> = {};
  for (const part of text.split(' ').filter((one) => one !== '')) {
    const [, count = '', unit = ''] = /^([0-9]{1,4})([dwm])$/.exec(part) ?? [];
    if (unit === '' || counts[unit] !== undefined) {
      throw new ServiceError('validation', 'the backups that stay are not written as "7d 4w 12m"', {
        hint: 'name days (d), weeks (w) and months (m) once each, with a number before the letter',
      });
    }
    counts[unit] = Number(count);
  }
  return { newest, days: counts['d'] ?? 0, weeks: counts['w'] ?? 0, months: counts['m'] ?? 0 };
};

/** Returns the backups that stay, of names in the order from the newest to the oldest. The newest always stays. */
export const retainedBackups = (names: readonly string[], retention: Retention): ReadonlySet<string> => {
  const kept = new Set(names.slice(0, Math.max(1, retention.newest)));
  for (const period of ['days', 'weeks', 'months'] as const) {
    const seen = new Set<number>();
    for (const name of names) {
      const place = PERIODS[period](startOfBackup(name));
      if (seen.has(place)) continue;
      if (seen.size === retention[period]) break;
      seen.add(place);
      kept.add(name);
    }
  }
  return kept;
};
