import { liveAmong, visibleTo } from '../../../../kernel/facts/default-constraints.ts';
import { evaluateFilter, type InTableFilter, memberOf } from '../../../../kernel/facts/evaluate-filter.ts';
import type { Expiry } from '../../../../kernel/internal-api.ts';
import { compareHlc, type Principal } from '../../../../kernel/plugin-api.ts';
import type { SearchView } from '../../../../plugins/search/search-api.ts';
import type { Cover, Hlc, StoredFact } from '../../../../ports/ports.ts';
import { ReferenceIndex } from '../../../contract/search-index/reference-index.ts';
import { hasNamedKeys } from '../../../contract/search-index/search-node.ts';

/** A reference index that applies changes itself, without a store. */
export class NaiveIndex extends ReferenceIndex {
  override readonly facts: StoredFact[] = [];
  readonly covers: Cover[] = [];
  readonly expiries = new Map<string, Expiry>();

  expire(expiry: Expiry): void {
    const key = `${expiry.tenantId} ${expiry.factId}`;
    const known = this.expiries.get(key);
    const order = known === undefined ? 1 : compareHlc(expiry.hlc, known.hlc) || known.expiresMs - expiry.expiresMs;
    if (order > 0) this.expiries.set(key, expiry);
  }

  /** Returns facts that the view may find, in the order of the feed, by the kernel's own filter. */
  override async live(view: SearchView): Promise<StoredFact[]> {
    const caller = { tenantId: view.tenantId, allowedScopes: new Set(view.scopes) } as unknown as Principal;
    const filter = liveAmong(visibleTo(caller, view.gardens), { nowMs: view.nowMs });
    const found: StoredFact[] = [];
    for (const fact of this.facts) {
      if (view.onlyGarden !== undefined && fact.gardenId !== view.onlyGarden) continue;
      if (view.entityKey !== undefined && fact.entityKey !== view.entityKey) continue;
      if (view.relationKey !== undefined && fact.relationKey !== view.relationKey) continue;
      if (fact.confidence < view.minConfidence || !hasNamedKeys(view, fact)) continue;
      if (await evaluateFilter(filter, fact, async (node, of) => this.#exists(node, of))) found.push(fact);
    }
    return found;
  }

  #exists(node: InTableFilter, fact: StoredFact): boolean {
    return this.#rowsOf(node.table).some((row) => {
      const matches = node.match.every(({ column, is, field }) => {
        const member = memberOf(fact, field);
        return is === 'equal' ? row[column] === member : compareHlc(row[column] as Hlc, member as Hlc) > 0;
      });
      return (
        matches &&
        node.where.every((condition) => {
          const value = row[condition.column];
          if ('in' in condition) {
            return value === null ? condition.orNull === true : condition.in.includes(value as string | number);
          }
          if ('below' in condition) return (value as number) < (condition.below as number);
          throw new Error('no other condition is part of the filter of live facts');
        })
      );
    });
  }

  #rowsOf(table: string): readonly Readonly<Record<string, unknown>>[] {
    if (table === 'fact_covers') return this.covers.filter(({ named }) => named === null).map(rowOfCover);
    if (table === 'fact_named_covers') return this.covers.filter(({ named }) => named !== null).map(rowOfCover);
    return [...this.expiries.values()].map(rowOfExpiry);
  }
}

const rowOfExpiry = ({ tenantId, factId, expiresMs }: Expiry) => ({
  tenant_id: tenantId,
  fact_id: factId,
  expires_ms: expiresMs,
});

const rowOfCover = ({ tenantId, entityKey, relationKey, scope, kind, gardenId, speaker, hlc, named }: Cover) => ({
  tenant_id: tenantId,
  entity_key: entityKey,
  relation_key: relationKey,
  scope,
  kind,
  place: gardenId ?? '',
  speaker: speaker ?? '',
  hlc,
  ...(named !== null && { named_id: named.id, named_origin: named.origin, is_own: Number(named.isOwn) }),
});
