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

export const atOption = {
  type: 'text',
  value: 'instant',
  summary: 'a point in time within the increments of the target, such as 2026-11-26T12:00:00Z, or latest',
} as const satisfies CommandOption;
