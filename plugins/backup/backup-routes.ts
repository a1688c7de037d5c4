import { COUNT_JSON, objectOf, type Route, STRING_JSON } from '../../kernel/plugin-api.ts';
import type { Backups } from './backup-api.ts';
import { BACKUP_LIST_JSON, summaryJson } from './backup-json.ts';

const ADMIN = { permission: 'admin' } as const;
const DIMENSION = 'admin_action';

/** More backups than a rotation keeps. The command, which reads the folder itself, lists all. */
const MAX_LISTED = 1_000;

/** `POST /v1/backups` */
export const createBackupRoute = (backups: Backups): Route => ({
  method: 'POST',
  path: '/v1/backups',
  summary: 'Makes a backup of the store in the background, for the operator of the node',
  access: ADMIN,
  dimension: DIMENSION,
  bodyForm: 'none',
  answers: { 202: { json: objectOf({ job_id: STRING_JSON, status: STRING_JSON, estimated_s: COUNT_JSON }) } },
  example: {},
  async handle({ caller }) {
    const jobId = await backups.begin(caller);
    return { status: 202, body: { job_id: jobId, status: 'pending', estimated_s: 0 } };
  },
});

/** `GET /v1/backups` */
export const listBackupsRoute = (backups: Backups): Route => ({
  method: 'GET',
  path: '/v1/backups',
  summary: 'Backups in the folder of this node, newest first, for its operator',
  access: ADMIN,
  dimension: DIMENSION,
  answers: { 200: { json: BACKUP_LIST_JSON } },
  example: {},
  async handle({ caller }) {
    const found = await backups.list(caller);
    const shown = found.slice(0, MAX_LISTED).map(summaryJson);
    return { status: 200, body: { backups: shown, truncated: found.length > shown.length } };
  },
});
