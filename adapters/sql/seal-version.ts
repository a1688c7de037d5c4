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
  const version = versionOf(setting);
  if (version > seal.version) await seal.refresh(version);
};

const SETTING = `SELECT s.value FROM node_settings s WHERE s.key = '${SEAL_SETTING}'`;

/** Reads the setting with the version; null without one. `lock` is a clause that locks its row, by the name `s`. */
export const settingOf = async (session: SqlSession, lock = ''): Promise<string | null> => {
  const [row] = await session.rows(`${SETTING}${lock}`, []);
  return (row?.[0] ?? null) as string | null;
};

/** Returns the version in the setting; 0 without one. */
export const versionOf = (setting: string | null | undefined): number => (setting == null ? 0 : versionIn(setting));

/** Returns when the present period began, in milliseconds of the clock of the store; null where nothing says it. */
export const periodBeganMs = (setting: string | null): number | null => {
  const { period_began_ms: beganMs } = setting === null ? {} : membersOf(setting);
  return typeof beganMs === 'number' ? beganMs : null;
};

/** The last setting read, because most transactions read the same one. */
let last: { readonly setting: string; readonly version: number } = { setting: '', version: 0 };

const versionIn = (setting: string): number => {
  if (last.setting !== setting) {
    const { version } = membersOf(setting);
    // Below its true version, this process could seal with destroyed keys.
    if (!Number.isSafeInteger(version) || Number(version) < 1) throw damagedSetting();
    last = { setting, version: Number(version) };
  }
  return last.version;
};

/** Returns the setting with another version, and with further members. */
export const settingWith = (setting: string | null | undefined, version: number, added: object = {}): string =>
  JSON.stringify({ ...(setting == null ? {} : membersOf(setting)), ...added, version });

const membersOf = (setting: string): Readonly<{ version?: unknown; period_began_ms?: unknown }> => {
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
