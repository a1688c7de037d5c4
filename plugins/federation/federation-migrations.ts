import type { Migration } from '../../kernel/plugin-api.ts';
import { createIngestTables } from './ingest/ingest-tables.ts';
import { createPeeringTables } from './peerings/peering-tables.ts';
import { createServingTables } from './serving/serving-tables.ts';

export const federationMigrations: readonly Migration[] = [
  {
    number: 2,
    name: 'federation',
    async up(schema) {
      await createPeeringTables(schema);
      await createServingTables(schema);
      await createIngestTables(schema);
    },
  },
];
