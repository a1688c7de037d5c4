import { loadSqliteDriver } from '../../adapters/sqlite/sqlite-driver.ts';
import { currentStore, type StoreKind } from './for-each-store.ts';
import { administer } from './postgres-server.ts';
import { placeTestStore } from './test-store.ts';

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
  const database = loadSqliteDriver().open(String(settings['path']));
  try {
    const triggers = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'trigger' AND tbl_name = 'facts'");
    for (const { name } of triggers.all() as { readonly name: string }[]) database.exec(`DROP TRIGGER ${name}`);
    database.exec(sql);
  } finally {
    database.close();
  }
};
