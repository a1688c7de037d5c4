import type { ContentSeal } from '../../ports/ports.ts';
import { refreshTo, SEAL_SETTING, settingOf, settingWith } from './seal-version.ts';
import type { SqlEngine, SqlSession } from './sql-engine.ts';

const ADD_SETTING = `INSERT INTO node_settings (key, value) VALUES ('${SEAL_SETTING}', ?) ON CONFLICT (key) DO NOTHING`;
const SAVE_SETTING = `UPDATE node_settings SET value = ? WHERE key = '${SEAL_SETTING}'`;

/** The engine of a sealed store. */
export interface SealedEngine {
  readonly engine: SqlEngine;
  readonly seal: ContentSeal;
  /** Returns the name of the lock of a tenant's writes. */
  lockOf(tenantId: string): string;
}

/**
 * Changes the keys, and then the version in the store. Holds the row of the version meanwhile, so that no other process
 * changes the keys at the same time. `change` gets the setting of the store, and returns members to add to it.
 */
export const changeKeys = async (
  { engine, seal }: SealedEngine,
  session: SqlSession,
  change: (setting: string | null) => Promise<object>,
): Promise<void> => {
  await session.run(ADD_SETTING, [settingWith(null, seal.version)]);
  const setting = await settingOf(session, engine.dialect.forUpdateOf('s'));
  await refreshTo(seal, setting);
  const added = await change(setting);
  await session.run(SAVE_SETTING, [settingWith(setting, seal.version, added)]);
};
