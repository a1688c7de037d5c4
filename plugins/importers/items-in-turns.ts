import { TurnBudget } from '../../kernel/internal-api.ts';
import type { ImportItem } from './importers-api.ts';

/**
 * Yields the items, and lets other requests go on in between. A file in memory may hold a million items in one piece,
 * and repeated ones are never sent, so nothing else would wait.
 */
export async function* itemsInTurns(items: AsyncIterable<ImportItem>): AsyncGenerator<ImportItem, void, undefined> {
  const budget = new TurnBudget();
  for await (const item of items) {
    await budget.take(weightOf(item));
    yield item;
  }
}

const weightOf = (item: ImportItem): number =>
  'value' in item && typeof item.value.v === 'string' ? item.value.v.length : 0;
