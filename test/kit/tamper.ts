import { loadSqliteDriver } from '../../adapters/sqlite/sqlite-driver.ts';
import { isBusy } from '../../adapters/sqlite/sqlite-errors.ts';
import { currentStore, type StoreKind } from './for-each-store.ts';
import { administer } from './postgres-server.ts';
import { placeTestStore } from './test-store.ts';
import { waitUntil } from './wait-until.ts';

/**
 * Runs SQL statements directly on the store of a node, as the owner of the database could, without the triggers that
 * protect facts. `store` names the engine, if the suite runs on one only.
 */
export const tamper = async (
  { folder }: { readonly folder: string },
  sql: string,
  store: StoreKind = currentStore(),
): Promise<void> => {
  const { settings } = await placeTestStore(store, folder);
  if (store === 'postgres') {
    await administer(String(settings['url']), `ALTER TABLE facts DISABLE TRIGGER ALL; ${sql}`);
    return;
  }
  const path = String(settings['path']);
  // Background work of the node may hold the lock, which only this thread can end.
  await waitUntil('no other write is in progress', LIMIT_MS, () => execUnlessBusy(path, sql));
};

const LIMIT_MS = 10_000;

/** Returns false, without a change, while another connection writes. */
const execUnlessBusy = (path: string, sql: string): boolean => {
  const database = loadSqliteDriver().open(path);
  try {
    database.exec('BEGIN IMMEDIATE');
    const triggers = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'trigger' AND tbl_name = 'facts'");
    for (const { name } of triggers.all() as { readonly name: string }[]) database.exec(`DROP TRIGGER ${name}`);
    database.exec(sql);
    database.exec('COMMIT');
    return true;
  } catch (error) {
    if (isBusy(error)) return false;
    throw error;
  } finally {
    database.close();
  }
};
