import type {
  PluginSnapshot,
  PluginTables,
  PluginTransaction,
  SqlValue,
  StoredFact,
} from '../../../kernel/plugin-api.ts';
import type { SearchView } from '../search-api.ts';
import { PARTS_TABLE } from './postgres-tables.ts';
import { isStorable } from './sql-literal.ts';

/** The facts of one tenant, scope and place. All of them have the same readers. */
export interface Part {
  readonly part: number;
  readonly scope: string;
  /** A garden, or an empty text outside gardens. */
  readonly place: string;
  readonly documents: number;
  /** The number of words of all documents. */
  readonly length: number;
  /** A bit for each language of its texts. */
  readonly languages: number;
}

/** A change of the statistics of a part. */
export interface PartChange {
  documents: number;
  length: number;
  languages: number;
}

type Placed = Pick<StoredFact, 'scope' | 'gardenId'>;

export const partName = ({ scope, gardenId }: Placed): string => `${scope} ${gardenId ?? ''}`;

/** Stores parts with the statistics of their facts, so that no search counts facts. */
export class PartRows {
  readonly #tables: PluginTables;

  constructor(tables: PluginTables) {
    this.#tables = tables;
  }

  /** Returns the parts of a tenant for these places, and creates missing ones. */
  async ensure(
    tenantId: string,
    known: ReadonlyMap<string, Part>,
    places: readonly Placed[],
    transaction: PluginTransaction,
  ): Promise<ReadonlyMap<string, Part>> {
    const missing = new Map(places.filter((place) => !known.has(partName(place))).map((one) => [partName(one), one]));
    if (missing.size === 0) return known;
    await this.#tables.in(transaction).insertRows(
      PARTS_TABLE,
      [...missing.values()].map(({ scope, gardenId }) => ({ tenant_id: tenantId, scope, place: gardenId ?? '' })),
    );
    return this.named(tenantId, transaction);
  }

  /** Returns the parts of a tenant by name. */
  async named(tenantId: string, snapshot: PluginSnapshot): Promise<ReadonlyMap<string, Part>> {
    const parts = await this.#of(tenantId, snapshot);
    return new Map(parts.map((part) => [`${part.scope} ${part.place}`, part]));
  }

  /** Adds to the statistics of parts. Never removes a language: one that no fact has any more only costs time. */
  async change(changes: ReadonlyMap<Part, PartChange>, transaction: PluginTransaction): Promise<void> {
    const own = this.#tables.in(transaction);
    await Promise.all(
      [...changes].map(([{ part, languages: known }, { documents, length, languages }]) =>
        own(PARTS_TABLE)
          .where({ part })
          .increment({ documents, length })
          .update({ languages: known | languages }),
      ),
    );
  }

  /** Returns the parts with documents that the view may read. */
  async open(view: SearchView, snapshot: PluginSnapshot): Promise<readonly Part[]> {
    const gardens = view.gardens === 'all' ? undefined : new Set(view.gardens);
    return (await this.#of(view.tenantId, snapshot)).filter(({ scope, place, documents }) => {
      if (documents === 0 || !view.scopes.some((one) => one === scope)) return false;
      if (view.onlyGarden !== undefined && place !== view.onlyGarden) return false;
      return place === '' || gardens === undefined || gardens.has(place);
    });
  }

  async #of(tenantId: string, snapshot: PluginSnapshot): Promise<Part[]> {
    if (!isStorable(tenantId)) return [];
    return (await this.#tables.in(snapshot).select(PARTS_TABLE, { tenant_id: tenantId })).map(partFromRow);
  }
}

const partFromRow = (row: Readonly<Record<string, SqlValue>>): Part => ({
  part: Number(row['part']),
  scope: String(row['scope']),
  place: String(row['place']),
  documents: Number(row['documents']),
  length: Number(row['length']),
  languages: Number(row['languages']),
});
