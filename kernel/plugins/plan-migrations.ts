import { type Migration, type MigrationSchema, type OwnedMigration, ServiceError } from '../../ports/ports.ts';
import { type BootProblem, problemOf } from '../problems/boot-problem.ts';
import { tablePrefix } from './check-plugin.ts';
import { guardSchema } from './guard-schema.ts';
import type { AnyPlugin } from './plugin-definition.ts';

export const CORE_OWNER = 'core';

/** Returns all migrations in the order of their application. Numbers are unique over the core and every plugin. */
export const planMigrations = (
  core: readonly Migration[],
  plugins: readonly AnyPlugin[],
  problems: BootProblem[],
): OwnedMigration[] => {
  const planned: OwnedMigration[] = [
    ...core.map((migration) => ({ ...migration, owner: CORE_OWNER })),
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

/** Adds the plugin's name to an error of its migration. Refusals of the store pass unchanged. */
const pluginMigration = (migration: Migration, plugin: string): OwnedMigration => {
  const { number, name } = migration;
  const guarded = async <T>(schema: MigrationSchema, work: (own: MigrationSchema) => Promise<T>): Promise<T> => {
    try {
      return await work(guardSchema(schema, tablePrefix(plugin)));
    } catch (error) {
      if (error instanceof ServiceError) throw error;
      const { message } = problemOf(error, `plugin "${plugin}": migration ${number} ${name} failed`);
      const hint = `look for another release of the plugin, or leave it out of the configuration`;
      throw new ServiceError('unavailable', message, { hint, cause: error });
    }
  };
  const up: Migration['up'] = (schema) => guarded(schema, (own) => migration.up(own));
  const prepare = migration.prepare?.bind(migration);
  if (prepare === undefined) return { number, name, owner: plugin, up };
  return {
    number,
    name,
    owner: plugin,
    up,
    prepare: (schema, progress) => guarded(schema, (own) => prepare(own, progress)),
  };
};
