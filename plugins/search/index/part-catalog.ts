import type { SearchView } from '../search-api.ts';
import { FIRST_GARDEN, OUTSIDE_GARDENS } from './cover-table.ts';
import { IndexPart, type PartName } from './index-part.ts';
import { realmOf } from './realm.ts';

/**
 * The parts of an index, and the numbers that stand for tenants and gardens inside it. Numbers are assigned once, in
 * order of appearance.
 */
export class PartCatalog {
  readonly parts: IndexPart[] = [];
  readonly #tenants = new Map<string, { readonly number: number; readonly parts: Map<string, IndexPart> }>();
  readonly #gardens = new Map<string, number>();

  partOf(name: PartName): IndexPart {
    const tenant = this.#tenantOf(name.tenantId);
    const key = keyOf(name);
    const known = tenant.parts.get(key);
    if (known !== undefined) return known;
    const part = new IndexPart(this.parts.length, name, realmOf(tenant.number, name.scope));
    tenant.parts.set(key, part);
    this.parts.push(part);
    return part;
  }

  /** Returns the part of that name, or undefined if it has no documents. */
  knownPart({ tenantId, scope, gardenId }: PartName): IndexPart | undefined {
    return this.#tenants.get(tenantId)?.parts.get(keyOf({ scope, gardenId }));
  }

  tenantNumber(tenantId: string): number {
    return this.#tenantOf(tenantId).number;
  }

  gardenNumber(gardenId: string): number {
    const known = this.#gardens.get(gardenId);
    if (known !== undefined) return known;
    const number = FIRST_GARDEN + this.#gardens.size;
    this.#gardens.set(gardenId, number);
    return number;
  }

  /** Returns the number of a place: a garden, or outside all gardens. */
  placeNumber(gardenId: string | null): number {
    return gardenId === null ? OUTSIDE_GARDENS : this.gardenNumber(gardenId);
  }

  /** Returns the parts that the view may read. An `onlyGarden` that it may not read yields none. */
  open(view: SearchView): IndexPart[] {
    const tenant = this.#tenants.get(view.tenantId);
    if (tenant === undefined) return [];
    const scopes = new Set(view.scopes);
    const gardens = view.gardens === 'all' ? undefined : new Set(view.gardens);
    return [...tenant.parts.values()].filter(({ scope, gardenId }) => {
      if (!scopes.has(scope)) return false;
      if (view.onlyGarden !== undefined && gardenId !== view.onlyGarden) return false;
      return gardenId === null || gardens === undefined || gardens.has(gardenId);
    });
  }

  /** Returns the tenants and gardens in the order of their numbers. */
  names(): { readonly tenants: string[]; readonly gardens: string[] } {
    return { tenants: [...this.#tenants.keys()], gardens: [...this.#gardens.keys()] };
  }

  /** Restores the numbers of names, in an empty catalog or one that begins with the same names. */
  restoreNames(names: { readonly tenants: readonly string[]; readonly gardens: readonly string[] }): void {
    for (const tenant of names.tenants) this.#tenantOf(tenant);
    for (const garden of names.gardens) this.gardenNumber(garden);
  }

  #tenantOf(tenantId: string) {
    const known = this.#tenants.get(tenantId);
    if (known !== undefined) return known;
    const tenant = { number: this.#tenants.size, parts: new Map<string, IndexPart>() };
    this.#tenants.set(tenantId, tenant);
    return tenant;
  }
}

const keyOf = ({ scope, gardenId }: Pick<PartName, 'scope' | 'gardenId'>): string => `${scope}:${gardenId ?? ''}`;
