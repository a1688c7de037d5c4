import type { CommandOption } from '../../kernel/command-api.ts';

export const fromOption = {
  type: 'text',
  value: 'place',
  summary: 'a target of backups: s3://bucket/prefix, or the path of a folder',
} as const satisfies CommandOption;

export const folderOption = {
  type: 'text',
  value: 'folder',
  summary: 'folder of the backups (default: SVC_BACKUP_FOLDER, or "backups" beside the store)',
} as const satisfies CommandOption;
