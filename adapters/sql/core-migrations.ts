import type { OwnedMigration } from '../../ports/ports.ts';
import { coreTables } from './core-tables.ts';

/** A migration without effect. `001_init` already creates its columns, but its name in the ledger must stay. */
const inBaseline: OwnedMigration['up'] = async () => {};

export const CORE_MIGRATIONS: readonly OwnedMigration[] = [
  {
    owner: 'core',
    number: 1,
    name: 'init',
    async up({ dialect, raw }) {
      for (const statement of coreTables(dialect)) await raw(statement);
    },
  },
  // `garden_id`, `attested` and `attested_key_id` of facts.
  { owner: 'core', number: 11, name: 'facts_garden_attested', up: inBaseline },
  // `tenant_id` of every table that holds rows of tenants. Plugins make their own tables with it.
  { owner: 'core', number: 12, name: 'multi_tenant', up: inBaseline },
];
