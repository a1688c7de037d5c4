import { PLUGIN_CATALOG } from '../../config/plugin-catalog.ts';
import type { WithdrawalJournal } from '../../kernel/internal-api.ts';

/** Returns the journals that the plugins of this repository declare. */
export const declaredJournals = async (): Promise<readonly WithdrawalJournal[]> => {
  const plugins = await Promise.all(Object.values(PLUGIN_CATALOG).map((load) => load()));
  return plugins.flatMap(({ journals }) => journals ?? []);
};
