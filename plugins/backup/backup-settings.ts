import { join } from 'node:path';
import type { Schema } from '../../kernel/internal-api.ts';
import { type NodeSettings, schema } from '../../kernel/plugin-api.ts';

export interface BackupSettings {
  readonly folder: string;
  readonly keep: number;
}

const MOST_KEPT = 1_000;

export const backupSettings: Schema<BackupSettings> = schema<BackupSettings>({
  type: 'object',
  additionalProperties: false,
  properties: {
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
  },
});

/** Files beside the store that record the erasures of facts and of tenants. */
export const erasureFilesOf = ({ dataFolder }: Pick<NodeSettings, 'dataFolder'>): readonly string[] => [
  join(dataFolder, 'erasures.jsonl'),
  join(dataFolder, 'multi-tenant', 'erased-tenants.jsonl'),
];
