import type { RouteRow } from './route-row.ts';

const PATH = '/v1/backups';
const NO_ADMIN = ['read', 'write', 'audit.read'];

/** Routes of the plugin `backup`. */
export const BACKUP_ROWS: readonly RouteRow[] = [
  { route: `GET ${PATH}`, path: () => PATH, accepts: 200, lacking: NO_ADMIN },
  { route: `POST ${PATH}`, path: () => PATH, accepts: 202, lacking: NO_ADMIN },
];
