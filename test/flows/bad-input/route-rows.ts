import { BACKUP_ROWS } from './backup-rows.ts';
import { CAPABILITY_ROWS } from './capability-rows.ts';
import { DECAY_ROWS } from './decay-rows.ts';
import { DERIVED_ROWS } from './derived-rows.ts';
import { FACT_ROWS } from './fact-rows.ts';
import { FEDERATION_ROWS } from './federation-rows.ts';
import { GARDEN_ROWS } from './garden-rows.ts';
import { INSTRUCTION_ROWS } from './instruction-rows.ts';
import { NAMESPACE_ROWS } from './namespace-rows.ts';
import { RELATION_ROWS } from './relation-rows.ts';
import type { RouteRow } from './route-row.ts';
import { SERVICE_ROWS } from './service-rows.ts';
import { SUBSCRIPTION_ROWS } from './subscription-rows.ts';
import { TENANT_ROWS } from './tenant-rows.ts';
import { TOMBSTONE_ROWS } from './tombstone-rows.ts';
import { UPKEEP_ROWS } from './upkeep-rows.ts';

/** One row for every route that the default plugins register. */
export const ROUTE_ROWS: readonly RouteRow[] = [
  ...FACT_ROWS,
  ...DERIVED_ROWS,
  ...DECAY_ROWS,
  ...GARDEN_ROWS,
  ...CAPABILITY_ROWS,
  ...FEDERATION_ROWS,
  ...INSTRUCTION_ROWS,
  ...SUBSCRIPTION_ROWS,
  ...SERVICE_ROWS,
  ...NAMESPACE_ROWS,
  ...RELATION_ROWS,
  ...BACKUP_ROWS,
  ...TENANT_ROWS,
  ...TOMBSTONE_ROWS,
  ...UPKEEP_ROWS,
];
