import type { Migration, MigrationSchema, OwnedMigration } from '../../ports/ports.ts';
import type { BootProblem } from '../boot/boot-problem.ts';
import { tablePrefix } from './check-plugin.ts';
import { guardSchema } from './guard-schema.ts';
import type { AnyPlugin } from './plugin-definition.ts';

export const CORE_OWNER = 'core';

/** All migrations in the order in which they are applied. Numbers are unique over the core and every plugin. */
export const planMigrations = (
  core: readonly Migration[],
  plugins: readonly AnyPlugin[],
  problems: BootProblem[],
): OwnedMigration[] => {
  const planned: OwnedMigration[] = [
    ...core.map((migration) => owned(migration, CORE_OWNER, (schema) => migration.up(schema))),
    ...plugins.flatMap((plugin) =>
      (plugin.migrations ?? []).map((migration) => pluginMigration(migration, plugin.name)),
    ),
  ].sort((a, b) => a.number - b.number);
  planned.forEach((migration, place) => {
    const before = planned[place - 1];
    if (before?.number !== migration.number) return;
    problems.push({
      message: `migration ${migration.number} exists twice: ${before.name} of ${before.owner} and ${migration.name} of ${migration.owner}`,
      hint: 'give one of them another number',
    });
  });
  return planned;
};

const owned = (
  { number, name }: Migration,
  owner: string,
  up: (schema: MigrationSchema) => Promise<void>,
): OwnedMigration => ({ number, name, owner, up });

const pluginMigration = (migration: Migration, plugin: string): OwnedMigration =>
  owned(migration, plugin, (schema) => migration.up(guardSchema(schema, plugin, tablePrefix(plugin))));
