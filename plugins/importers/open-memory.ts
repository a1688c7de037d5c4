import { ServiceError } from '../../kernel/plugin-api.ts';
import type { ImportFile, ImportItem, ImportReader } from './importers-api.ts';
import { idMember, isObject, listMember, member, textMember } from './origin-values.ts';

type Instant = Parameters<ImportReader>[1]['instant'];

/** The names of users, apps and categories in an OpenMemory export. Its memories contain only their internal ids. */
export interface OpenMemory {
  /** Returns the memory with names in place of the ids of its user, app and categories. */
  named(memory: unknown): unknown;
  /** Yields facts with the names and descriptions of users, apps and categories. */
  items(at: string, instant: Instant): Iterable<ImportItem>;
}

/**
 * Reads the names, which come before and after the memories. Undefined for a damaged file, and for a file that is no
 * OpenMemory export.
 */
export const openMemoryOf = async (file: ImportFile): Promise<OpenMemory | undefined> => {
  if (!/\.json$/i.test(file.path)) return undefined;
  try {
    return await namesIn(file);
  } catch (error) {
    // The import reads the file again and reports the damage, after the items before it.
    if (error instanceof ServiceError) return undefined;
    throw error;
  }
};

const namesIn = async (file: ImportFile): Promise<OpenMemory | undefined> => {
  for await (const { list, value } of file.items(LARGE_LISTS)) {
    if (list !== '') continue;
    const users = [member(value, 'user'), ...listMember(value, 'users')].filter(isObject);
    const isOpenMemory = users.some((user) => idMember(user, 'id') !== undefined && idMember(user, 'user_id'));
    return isOpenMemory ? namesOf(value, users) : undefined;
  }
  return undefined;
};

/** Large lists. They are named so that the reader streams them, although only the other members are needed. */
const LARGE_LISTS = ['memories', 'results', 'relations', 'status_history', 'access_controls'];

const namesOf = (value: unknown, users: readonly unknown[]): OpenMemory => {
  const apps = listMember(value, 'apps');
  const categories = listMember(value, 'categories');
  const userNames = byId(users, 'user_id');
  const appNames = byId(apps, 'name');
  const categoryNames = byId(categories, 'name');
  return {
    named(memory) {
      if (!isObject(memory)) return memory;
      const user = idMember(memory, 'user_id') ?? '';
      const app = idMember(memory, 'app_id') ?? '';
      const ids = listMember(memory, 'category_ids').map(String);
      return {
        ...memory,
        user_id: userNames.get(user) ?? (user || [...userNames.values()][0]),
        app: appNames.get(app) ?? (app || undefined),
        app_id: undefined,
        actor_id: undefined,
        categories: [...listMember(memory, 'categories'), ...ids.map((id) => categoryNames.get(id) ?? id)],
      };
    },
    *items(at, instant) {
      const told = [
        ...users.map((one) => ({ one, kind: 'user', id: idMember(one, 'user_id'), details: ['name', 'email'] })),
        ...apps.map((one) => ({ one, kind: 'app', id: textMember(one, 'name'), details: ['description'] })),
        ...categories.map((one) => ({ one, kind: 'category', id: textMember(one, 'name'), details: ['description'] })),
      ];
      for (const { one, kind, id, details } of told) {
        const known = details.filter((name) => textMember(one, name) !== undefined);
        if (id === undefined || known.length === 0) {
          yield { at, skipped: `a ${kind} without more than its name`, isBroken: false };
        }
        for (const name of id === undefined ? [] : known) {
          yield {
            kind,
            at,
            entity: `mem0:${kind}/${id}`,
            relation: `memory:${name}`,
            value: { type: name === 'description' ? 'text' : 'string', v: textMember(one, name) ?? '' },
            source: 'mem0',
            timestamp: instant(member(one, 'updated_at')) ?? instant(member(one, 'created_at')),
          };
        }
      }
    },
  };
};

const byId = (items: readonly unknown[], name: string): ReadonlyMap<string, string> => {
  const names = new Map<string, string>();
  for (const item of items) {
    const id = idMember(item, 'id');
    const text = idMember(item, name);
    if (id !== undefined && text !== undefined) names.set(id, text);
  }
  return names;
};
