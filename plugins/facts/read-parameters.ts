import type { Ref } from '../../kernel/internal-api.ts';
import { type JsonSchema, memberRefusal, type Notes } from '../../kernel/plugin-api.ts';
import type { ReadParameter } from './facts-api.ts';

/** The read parameters that plugins define, for the routes that accept them. */
export interface ClaimedParameters {
  /** The schemas of the parameters, for the `properties` of a query's schema. */
  readonly properties: Readonly<Record<string, JsonSchema>>;
  /** Returns the values of these parameters, so that a cursor is valid for one query only. */
  valuesOf(query: object): readonly unknown[];
  notesOf(query: object): Notes | undefined;
}

/**
 * Collects the parameters that plugins define. `reserved` lists names that a route keeps for plugins: while no plugin
 * defines one, the route refuses it as not supported yet.
 */
export const claimedParameters = (
  claimed: readonly ReadParameter[],
  reserved: readonly string[] = [],
): ClaimedParameters => {
  const unclaimed = reserved.filter((name) => !claimed.some(({ id }) => id === name));
  const sentIn = (query: object, name: string): unknown => (query as Readonly<Record<string, unknown>>)[name];
  return {
    properties: {
      ...Object.fromEntries(unclaimed.map((name) => [name, { type: 'string' }])),
      ...Object.fromEntries(claimed.map(({ id, schema }) => [id, schema as JsonSchema])),
    },
    valuesOf: (query) => claimed.map(({ id }) => sentIn(query, id)),
    notesOf(query) {
      for (const name of unclaimed) if (sentIn(query, name) !== undefined) throw notYet(name);
      const notes = new Map<Ref<unknown>, unknown>();
      for (const { id, note, read } of claimed) {
        const value = sentIn(query, id);
        const said = value === undefined ? undefined : read(value, `query.${id}`);
        if (said !== undefined) notes.set(note, said);
      }
      return notes.size === 0 ? undefined : notes;
    },
  };
};

const notYet = (name: string) =>
  memberRefusal(
    `query.${name}`,
    'cannot be used: this node answers for now alone, because its plugin time-travel is switched off',
    'bad_parameter',
  );
