import type { OwnedMigration } from '../../ports/ports.ts';
import { coreTables } from './core-tables.ts';

/** `001_init` already made the columns that this one stands for. The ledger has its name, which is a contract. */
const inBaseline: OwnedMigration['up'] = async () => {};

/** The core's part of the schema. */
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
