import { BUCKET_PLACE, objectSchema, type Schema } from '../../kernel/internal-api.ts';

import { type Retention, readRetention } from './retained-backups.ts';

export interface BackupSettings {
  readonly folder: string;
  readonly keep: number;
  /** The place that backups are sent to. Undefined to keep them in the folder alone. */
  readonly target?: string;
  /** How many days, weeks and months have a backup that stays. See `readRetention`. */
  readonly retention: string;
  /** Seconds between two increments that are sent to the target. 0 sends none. */
  readonly incrementSeconds: number;
}

const MOST_KEPT = 1_000;
const MOST_SECONDS = 3_600;

export const backupSettings: Schema<BackupSettings> = objectSchema<BackupSettings>({
  folder: {
    type: 'string',
    minLength: 1,
    dataPath: 'backups',
    env: 'SVC_BACKUP_FOLDER',
    description: 'folder of the backups, each in a folder of its own; best on another disk than the store',
  },
  keep: {
    type: 'integer',
    minimum: 1,
    maximum: MOST_KEPT,
    default: 7,
    env: 'SVC_BACKUP_KEEP',
    description: 'how many of the newest backups stay when a new one is made',
  },
  target: {
    type: 'string',
    // A part between slashes and an @ could be a password, and would be printed with the settings.
    pattern: `^(?:${BUCKET_PLACE}|(?:[A-Za-z]:)?[^:@]{1,1000})$`,
    env: 'SVC_BACKUP_TARGET',
    description: 's3://bucket/prefix, or a folder on another disk, to which backups are sent as well',
  },
  retention: {
    type: 'string',
    pattern: '^(?:[0-9]{1,4}[dwm](?: [0-9]{1,4}[dwm]){0,2})?$',
    default: '',
    env: 'SVC_BACKUP_RETENTION',
    description:
      'backups that stay beside the newest, such as "7d 4w 12m": the last one of 7 days, 4 weeks and 12 months; in ' +
      'the target, or in the folder where there is no target',
  },
  incrementSeconds: {
    type: 'integer',
    minimum: 0,
    maximum: MOST_SECONDS,
    default: 0,
    env: 'SVC_BACKUP_INCREMENT_SECONDS',
    description:
      'how often the changes of an SQLite store are sent to the target, for a restore to any point in time, ' +
      'such as 5; 0 never',
  },
});

/** Returns the backups that stay in the folder. The place farthest away keeps the history. */
export const stayingHere = ({ keep, retention, target }: BackupSettings): Retention =>
  readRetention(keep, target === undefined ? retention : '');

/** Returns the backups that stay in a target. */
export const stayingThere = ({ keep, retention }: BackupSettings): Retention => readRetention(keep, retention);
