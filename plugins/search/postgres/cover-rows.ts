import {
  compareHlc,
  type Hlc,
  type PluginTables,
  type PluginTransaction,
  type Row,
  type WritableTables,
} from '../../../kernel/plugin-api.ts';
import type { IndexedCover, IndexedFact } from '../index/indexed-fact.ts';
import type { Hash, KeyHasher } from './key-hasher.ts';
import { type Part, partName } from './part-rows.ts';
import { COVERS_TABLE, FACTS_TABLE } from './postgres-tables.ts';
import { rowsOf, sql } from './sql-fragment.ts';
import { literal } from './sql-literal.ts';

/** The `reach` of a cover that ends the facts of all speakers. */
const OF_ALL: Hash = '0';

/**
 * Stores the newest cover of each triple and name. Each new fact is compared with these, because a fact may arrive
 * after the cover that ends it.
 */
export class CoverRows {
  readonly #tables: PluginTables;
  readonly #hasher: KeyHasher;

  constructor(tables: PluginTables, hasher: KeyHasher) {
    this.#tables = tables;
    this.#hasher = hasher;
  }

  /** Stores covers, and ends the stored facts with lower stamps. Idempotent. */
  async add(
    covers: readonly IndexedCover[],
    parts: ReadonlyMap<string, Part>,
    transaction: PluginTransaction,
  ): Promise<void> {
    if (covers.length === 0) return;
    const own = this.#tables.in(transaction);
    const newest = new Map<string, Row>();
    for (const cover of oldestFirst(covers)) {
      const triple = this.#tripleOf(cover, parts);
      for (const reach of this.#reachesOf(cover)) {
        const row = { tenant_id: cover.tenantId, ...triple, reach, ...columnsOf(cover) };
        newest.set(Object.values({ ...triple, reach }).join(), row);
      }
    }
    const stored = own(COVERS_TABLE)
      .insert([...newest.values()])
      .onConflict(['part', 'entity', 'relation', 'reach'])
      .merge()
      .whereRaw(IS_NEWER);
    // The statements are sent together, and run in this order.
    await Promise.all([
      stored,
      ...oldestFirst(covers).map((cover) =>
        this.#ended(cover, this.#tripleOf(cover, parts), own).update({
          ended_wall: cover.since.wallMs,
          ended_ctr: cover.since.counter,
        }),
      ),
    ]);
  }

  /** Returns, by fact id, the stamps from which stored covers end these new facts of one tenant. */
  async endsOf(facts: readonly IndexedFact[], transaction: PluginTransaction): Promise<ReadonlyMap<string, Hlc>> {
    const [first] = facts;
    if (first === undefined) return new Map();
    const keys = facts.flatMap((fact, at) => {
      const [entity, relation] = [
        this.#hasher.of(fact.entityKey, 'entity'),
        this.#hasher.of(fact.relationKey, 'relation'),
      ];
      const { scope, gardenId, hlc } = fact;
      return this.#reachesTo(fact).map((reach) => ({ at, scope, place: gardenId ?? '', entity, relation, reach, hlc }));
    });
    const column = (read: (key: (typeof keys)[number]) => Hash | number) => keys.map(read);
    const rows = await rowsOf(
      this.#tables.in(transaction),
      sql`SELECT k.at, c.since_wall, c.since_ctr FROM unnest(${column(({ at }) => at)}::int4[],
        ${literal(keys.map(({ scope }) => scope))}::text[], ${literal(keys.map(({ place }) => place))}::text[],
        ${column(({ entity }) => entity)}::int8[], ${column(({ relation }) => relation)}::int8[],
        ${column(({ reach }) => reach)}::int8[], ${column(({ hlc }) => hlc.wallMs)}::int8[],
        ${column(({ hlc }) => hlc.counter)}::int4[]) AS k (at, scope, place, entity, relation, reach, wall, ctr)
        JOIN search_postgres_parts p ON p.tenant_id = ${first.tenantId} AND p.scope = k.scope AND p.place = k.place
        JOIN search_postgres_covers c ON c.part = p.part AND c.entity = k.entity AND c.relation = k.relation
          AND c.reach = k.reach
        WHERE (c.hlc_wall, c.hlc_ctr) > (k.wall, k.ctr)`,
    );
    const ends = new Map<string, Hlc>();
    for (const row of rows) {
      const { id } = facts[Number(row['at'])] as IndexedFact;
      const since = { wallMs: Number(row['since_wall']), counter: Number(row['since_ctr']) };
      const known = ends.get(id);
      if (known === undefined || compareHlc(since, known) < 0) ends.set(id, since);
    }
    return ends;
  }

  #tripleOf(
    of: Pick<IndexedFact, 'scope' | 'gardenId' | 'entityKey' | 'relationKey'>,
    parts: ReadonlyMap<string, Part>,
  ) {
    const { part = 0 } = parts.get(partName(of)) ?? {};
    return {
      part,
      entity: this.#hasher.of(of.entityKey, 'entity'),
      relation: this.#hasher.of(of.relationKey, 'relation'),
    };
  }

  /** Selects the facts that a cover ends and that have not ended yet. */
  #ended(
    { tenantId, named, targets = [], speaker, hlc }: IndexedCover,
    triple: { readonly part: number; readonly entity: Hash; readonly relation: Hash },
    own: WritableTables,
  ) {
    const live = own(FACTS_TABLE).whereNull('ended_wall');
    if (named !== null) return live.where({ tenant_id: tenantId }).whereIn('fact_id', [...targets]);
    const meant = speaker === null ? triple : { ...triple, speaker: this.#hasher.of(speaker, 'speaker') };
    return live.where(meant).whereRaw('(hlc_wall, hlc_ctr) < (?, ?)', [hlc.wallMs, hlc.counter]);
  }

  /** Returns the keys under which a cover is stored. A fact of this node may have no origin. */
  #reachesOf({ named, speaker }: IndexedCover): Hash[] {
    if (named === null) return [speaker === null ? OF_ALL : this.#hasher.of(speaker, 'speaker')];
    return (named.isOwn ? [named.origin, null] : [named.origin]).map((origin) =>
      this.#nameOf(named.id, origin, speaker),
    );
  }

  /** Returns the keys of all covers that may end a fact. */
  #reachesTo({ id, originId, originNodeId, speaker }: IndexedFact): Hash[] {
    const names = (speaker === null ? [null] : [null, speaker]).map((of) =>
      this.#nameOf(originId ?? id, originNodeId, of),
    );
    return speaker === null ? [OF_ALL, ...names] : [OF_ALL, this.#hasher.of(speaker, 'speaker'), ...names];
  }

  #nameOf(id: string, origin: string | null, speaker: string | null): Hash {
    return this.#hasher.of(`${id} ${origin ?? ''} ${speaker ?? ''}`, 'name');
  }
}

/** Orders covers so that a later cover of the same facts replaces an earlier one. */
const oldestFirst = (covers: readonly IndexedCover[]): IndexedCover[] =>
  [...covers].sort((a, b) => compareHlc(a.hlc, b.hlc));

const columnsOf = ({ hlc, since }: Pick<IndexedCover, 'hlc' | 'since'>) => ({
  hlc_wall: hlc.wallMs,
  hlc_ctr: hlc.counter,
  since_wall: since.wallMs,
  since_ctr: since.counter,
});

const IS_NEWER =
  '(excluded.hlc_wall, excluded.hlc_ctr) > (search_postgres_covers.hlc_wall, search_postgres_covers.hlc_ctr)';
