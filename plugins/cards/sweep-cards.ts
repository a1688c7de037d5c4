import { type ErasureSweep, openJson, type PluginTables } from '../../kernel/plugin-api.ts';
import type { Card } from './card.ts';
import { SEALED } from './card-store.ts';
import { CARDS_TABLE } from './cards-migrations.ts';

const CARDS_AT_ONCE = 200;

/** Deletes cards that contain an erased fact. The next reader gets a new card without the fact. */
export const sweepCards = (tables: PluginTables): ErasureSweep => ({
  name: 'cards',
  async step({ tenantId, named }, after, transaction) {
    const own = tables.in(transaction);
    const rows = (await own(CARDS_TABLE)
      .where({ tenant_id: tenantId })
      .where('card_key', '>', after ?? '')
      .orderBy('card_key')
      .limit(CARDS_AT_ONCE)) as readonly { readonly card_key: string; readonly body: string }[];
    const found: string[] = [];
    // A damaged card may contain the fact.
    const cards = own.parse(
      rows,
      (row) => ({ key: row.card_key, factIds: openJson<Card>(SEALED, row, 'body').factIds }),
      ({ card_key }) => found.push(card_key),
    );
    const erased = await named(cards.flatMap(({ factIds }) => factIds));
    for (const { key, factIds } of cards) if (factIds.some((id) => erased.has(id))) found.push(key);
    if (found.length > 0) await own(CARDS_TABLE).where({ tenant_id: tenantId }).whereIn('card_key', found).delete();
    const isOver = rows.length < CARDS_AT_ONCE;
    return { after: isOver ? null : (rows.at(-1)?.card_key ?? null), counts: { cards: found.length } };
  },
});
