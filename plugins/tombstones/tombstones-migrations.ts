import type { Migration } from '../../kernel/plugin-api.ts';
import { createErasureTables } from './erasure/erasure-tables.ts';
import { createHiddenTables, createMarkerTables } from './markers/marker-tables.ts';

export const tombstonesMigrations: readonly Migration[] = [
  {
    number: 27,
    name: 'tombstones',
    async up(schema) {
      await createMarkerTables(schema);
      await createHiddenTables(schema);
      await createErasureTables(schema);
    },
  },
];
