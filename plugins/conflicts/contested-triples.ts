import {
  all,
  type FactOutline,
  type FactView,
  type Filter,
  inTable,
  isIn,
  not,
  type PluginTables,
  type ReadContext,
  tripleId,
} from '../../kernel/plugin-api.ts';
import type { AloneInTransaction } from './alone-in-transaction.ts';
import { RECORDS, recordOf } from './conflict-record.ts';
import { judgeTriple } from './judge-triple.ts';

/**
 * What a caller's own view makes of contested triples. Only triples that ever had a record can hold rivals, so a read of anything else
 * costs one look-up.
 */
export class ContestedTriples {
  readonly #tables: PluginTables;
  readonly #alone: AloneInTransaction;

  constructor(tables: PluginTables, alone: AloneInTransaction) {
    this.#tables = tables;
    this.#alone = alone;
  }

  /** Hides the facts that lose on a contested triple, all live facts that the caller can see considered. */
  async hideLosers(context: ReadContext): Promise<Filter | undefined> {
    if (context.include.contradicted) return undefined;
    const { about } = context;
    const entityKeys = await this.#contestedEntities(
      context,
      about.entityKey === undefined ? undefined : [about.entityKey],
    );
    if (entityKeys.length === 0) return undefined;
    const losers = [...(await this.#liveByTriple(context, entityKeys)).values()].flatMap(
      (facts) => judgeTriple(facts).losers,
    );
    return losers.length === 0 ? undefined : not(isIn('id', losers));
  }

  /** Sets `contradicted` on each fact that is live and has a live rival in the caller's view. */
  async mark(views: readonly FactView[], context: ReadContext): Promise<readonly FactView[] | undefined> {
    const entityKeys = new Set<string>();
    for (const { fact } of views) {
      if (!fact.system && !this.#alone.has(context.snapshot, fact)) entityKeys.add(fact.entityKey);
    }
    if (entityKeys.size === 0) return undefined;
    const contested = await this.#contestedEntities(context, [...entityKeys]);
    if (contested.length === 0) return undefined;
    const contradicted = new Set<string>();
    for (const facts of (await this.#liveByTriple(context, contested)).values()) {
      if (judgeTriple(facts).contradicted) for (const { id } of facts) contradicted.add(id);
    }
    return views.map((view) => (contradicted.has(view.fact.id) ? { ...view, contradicted: true } : view));
  }

  /** Entities with a record that may still hide something from somebody. */
  async #contestedEntities(context: ReadContext, among: readonly string[] | undefined): Promise<string[]> {
    const rows = await this.#tables.in(context.snapshot).select(RECORDS, {
      tenant_id: context.caller.tenantId,
      settled: 0,
      ...(among === undefined ? {} : { entity_key: among }),
    });
    const { relationKey, scope } = context.about;
    const records = rows
      .map(recordOf)
      .filter(
        (record) =>
          (relationKey === undefined || record.relationKey === relationKey) &&
          (scope === undefined || record.scope === scope),
      );
    return [...new Set(records.map((record) => record.entityKey))];
  }

  async #liveByTriple(context: ReadContext, entityKeys: readonly string[]): Promise<Map<string, FactOutline[]>> {
    const facts = await context.snapshot.outline(
      all(
        isIn('entityKey', entityKeys),
        inTable(
          RECORDS,
          [
            { column: 'tenant_id', is: 'equal', field: 'tenantId' },
            { column: 'entity_key', is: 'equal', field: 'entityKey' },
            { column: 'relation_key', is: 'equal', field: 'relationKey' },
            { column: 'scope', is: 'equal', field: 'scope' },
          ],
          [{ column: 'settled', in: [0] }],
        ),
        await context.live(),
      ),
    );
    const byTriple = new Map<string, FactOutline[]>();
    for (const fact of facts) {
      const id = tripleId(fact);
      const group = byTriple.get(id);
      if (group === undefined) byTriple.set(id, [fact]);
      else group.push(fact);
    }
    return byTriple;
  }
}
