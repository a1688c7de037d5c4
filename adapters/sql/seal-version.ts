import { type ContentSeal, ServiceError } from '../../ports/ports.ts';
import { DESTRUCTIONS_TABLE } from './fact-table.ts';
import type { SqlSession } from './sql-engine.ts';

/** The key in `node_settings` whose JSON has the version of the keys of a sealed store. */
export const SEAL_SETTING = 'content_seal';

/** Reads the version, and whether keys of the tenant are to be destroyed. Parameter: tenant. */
const STATE = `SELECT (SELECT value FROM node_settings WHERE key = '${SEAL_SETTING}'),
  (SELECT count(*) FROM (SELECT 1 FROM ${DESTRUCTIONS_TABLE} WHERE tenant_id = ? LIMIT 1) doomed)`;
const DOOMED = `SELECT entity_key, scope, max(generation) FROM ${DESTRUCTIONS_TABLE} WHERE tenant_id = ?
GROUP BY entity_key, scope`;

/** The last generation of the keys of each subject that is to be destroyed. */
export class DoomedKeys {
  readonly #last = new Map<string, number>();

  add(entityKey: string, scope: string, generation: number): void {
    const name = nameOf(entityKey, scope);
    this.#last.set(name, Math.max(generation, this.#last.get(name) ?? generation));
  }

  lastOf({ entityKey, scope }: { readonly entityKey: string; readonly scope: string }): number | undefined {
    return this.#last.size === 0 ? undefined : this.#last.get(nameOf(entityKey, scope));
  }
}

const nameOf = (entityKey: string, scope: string): string => `${scope} ${entityKey}`;

/**
 * Makes sure that this process has the keys of a version at least as new as the store, before a transaction seals
 * anything. Returns the keys with which nothing may be sealed any more.
 */
export const freshKeys = async (session: SqlSession, seal: ContentSeal, tenantId: string): Promise<DoomedKeys> => {
  const [[setting, hasDoomed] = []] = await session.rows(STATE, [tenantId]);
  await refreshTo(seal, setting as string | null | undefined);
  const doomed = new DoomedKeys();
  if (hasDoomed === 1) {
    for (const [entityKey, scope, generation] of await session.rows(DOOMED, [tenantId])) {
      doomed.add(entityKey as string, scope as string, generation as number);
    }
  }
  return doomed;
};

/** Loads the keys anew if those of this process are older than the setting says. */
export const refreshTo = async (seal: ContentSeal, setting: string | null | undefined): Promise<void> => {
  const version = setting == null ? 0 : versionIn(setting);
  if (version > seal.version) await seal.refresh(version);
};

/** The last setting read, because most transactions read the same one. */
let last: { readonly setting: string; readonly version: number } = { setting: '', version: 0 };

const versionIn = (setting: string): number => {
  if (last.setting !== setting) {
    const { version } = membersOf(setting);
    if (typeof version !== 'number') throw damagedSetting();
    last = { setting, version };
  }
  return last.version;
};

/** Returns the setting with another version. */
export const settingWith = (setting: string | null | undefined, version: number): string =>
  JSON.stringify({ ...(setting == null ? {} : membersOf(setting)), version });

const membersOf = (setting: string): Readonly<Record<string, unknown>> => {
  try {
    return { ...JSON.parse(setting) };
  } catch {
    throw damagedSetting();
  }
};

const damagedSetting = (): ServiceError =>
  new ServiceError('unavailable', `the row ${SEAL_SETTING} of node_settings is damaged`, {
    hint: 'restore the store from a backup',
  });
