import { ownedBy } from '../../kernel/internal-api.ts';
import {
  compareHlc,
  type FactReader,
  openJson,
  type PluginSnapshot,
  type PluginTables,
  type PluginTransaction,
  type ReadableTables,
  type SealedColumns,
  sealJson,
  sha256Hex,
  type WritableTables,
} from '../../kernel/plugin-api.ts';
import type { Card } from './card.ts';
import { CARDS_TABLE } from './cards-migrations.ts';
import type { CardSubject } from './gather-material.ts';

export const SEALED = {
  table: CARDS_TABLE,
  key: ['tenant_id', 'card_key'],
  columns: ['body'],
} as const satisfies SealedColumns;

/** The gardens that the readers of a card may enter. The card is never shown to a caller with other gardens. */
export type CardAudience = FactReader['gardens'];

/** Returns the same key for equal subjects of one tenant and equal audiences. */
export const cardKey = (tenantId: string, { entityKey, scope }: CardSubject, audience: CardAudience): string =>
  sha256Hex(JSON.stringify([tenantId, entityKey, scope, audience === 'all' ? audience : [...audience].sort()]));

/** Where a card is stored. */
export interface CardRow {
  readonly tenantId: string;
  /** See `cardKey`. */
  readonly key: string;
  readonly subject: CardSubject;
}

export class CardStore {
  readonly #tables: PluginTables;

  constructor(tables: PluginTables) {
    this.#tables = tables;
  }

  find(tenantId: string, key: string, snapshot: PluginSnapshot): Promise<Card | undefined> {
    return cardIn(this.#tables.in(snapshot), tenantId, key);
  }

  /** Returns true if one of the tenants has a card. */
  async isUsed(tenantIds: ReadonlySet<string>): Promise<boolean> {
    const page = { orderBy: ['tenant_id'], limit: 1 } as const;
    const rows = await this.#tables.read((own) => own.select(CARDS_TABLE, { tenant_id: [...tenantIds] }, page));
    return rows.length > 0;
  }

  /** Returns those of the keys that have a card in one of the tenants. */
  async among(tenantIds: readonly string[], keys: readonly string[]): Promise<Set<string>> {
    const rows = await this.#tables.read((own) => own.select(CARDS_TABLE, { tenant_id: tenantIds, card_key: keys }));
    return new Set(rows.map((row) => String(row['card_key'])));
  }

  write(place: CardRow, card: Card): Promise<void> {
    return this.#tables.write(place.tenantId, (own) => put(own, place, card));
  }

  /** Writes a card in the transaction that stores its fact. */
  writeIn(transaction: PluginTransaction, place: CardRow, card: Card): Promise<void> {
    return put(this.#tables.in(transaction), place, card);
  }

  /** Returns true if the stored card covers later facts. A slow summary must not replace it. */
  async isOvertaken(transaction: PluginTransaction, tenantId: string, key: string, { upTo }: Card): Promise<boolean> {
    const stored = await cardIn(this.#tables.in(transaction), tenantId, key);
    return stored !== undefined && compareHlc(stored.upTo, upTo) > 0;
  }
}

/** Returns the card; undefined if it is damaged, so that a new one replaces it. */
const cardIn = async (own: ReadableTables, tenantId: string, key: string): Promise<Card | undefined> => {
  const [row] = await own.select(CARDS_TABLE, { tenant_id: tenantId, card_key: key });
  return own.parse(row === undefined ? [] : [row], (stored) => openJson<Card>(SEALED, stored, 'body'))[0];
};

const put = async (own: WritableTables, { tenantId, key, subject }: CardRow, card: Card): Promise<void> => {
  const where = { tenant_id: tenantId, card_key: key };
  const body = sealJson(card);
  const owner = ownedBy(subject);
  const known = await cardIn(own, tenantId, key);
  if (known !== undefined && compareHlc(known.upTo, card.upTo) > 0) return;
  const changed = await own(CARDS_TABLE)
    .where(where)
    .update({ body, ...owner });
  if (Number(changed) === 0) await own.insertRows(CARDS_TABLE, [{ ...where, body, ...owner }]);
};
