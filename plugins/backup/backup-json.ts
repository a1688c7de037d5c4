import {
  BOOLEAN_JSON,
  COUNT_JSON,
  INSTANT_JSON,
  listOf,
  objectOf,
  orNull,
  STRING_JSON,
} from '../../kernel/plugin-api.ts';
import type { BackupSummary } from './backup-api.ts';

const BACKUP_JSON = objectOf({
  id: STRING_JSON,
  created_at: orNull(INSTANT_JSON),
  bytes: COUNT_JSON,
  facts: COUNT_JSON,
  node_id: orNull(STRING_JSON),
  stamp: orNull(STRING_JSON),
  has_key: BOOLEAN_JSON,
  erasures_since: COUNT_JSON,
  readable: BOOLEAN_JSON,
  damage: orNull(STRING_JSON),
});

export const BACKUP_LIST_JSON = objectOf({ backups: listOf(BACKUP_JSON), truncated: BOOLEAN_JSON });

export const summaryJson = (backup: BackupSummary): Record<string, unknown> => ({
  id: backup.id,
  created_at: backup.createdAt === '' ? null : backup.createdAt,
  bytes: backup.bytes,
  facts: backup.facts,
  node_id: backup.nodeId,
  stamp: backup.stamp,
  has_key: backup.hasKey,
  erasures_since: backup.erasuresSince,
  readable: backup.damage === null,
  damage: backup.damage,
});
