import { SIBLING_LIMIT, tripleId } from '../../kernel/internal-api.ts';
import {
  defineFactMark,
  type FactView,
  hasPermission,
  listOf,
  objectOf,
  type PluginSnapshot,
  type PluginTables,
  type ReadContext,
  type ServiceNames,
  STRING_JSON,
  withMark,
} from '../../kernel/plugin-api.ts';
import { conflictEntity } from './conflict-entity.ts';
import { openRecords } from './conflict-record.ts';
import type { LiveOutline } from './place-state.ts';
import { compareAge } from './strength.ts';

/** The maximum number of rivals in a reply. */
const MOST_NAMED = 10;

interface Contradiction {
  readonly factIds: readonly string[];
  readonly conflictId: string;
  /** True if the plugin `relations` is on. */
  readonly hasRules: boolean;
}

/** The mark of a fact in the reply to its assertion, if other facts contradict it. */
export const CONTRADICTION = defineFactMark<Contradiction>('conflicts.contradiction', {
  summary: 'in the reply to an assertion, the facts that it contradicts and the calls that help',
  members: {
    contradiction: objectOf(
      {
        fact_ids: listOf(STRING_JSON),
        conflict_id: STRING_JSON,
        correct: STRING_JSON,
        settle: STRING_JSON,
        hold_many: STRING_JSON,
      },
      { optional: ['hold_many'] },
    ),
  },
  optional: ['contradiction'],
  toJson: (told, fact) => (told === undefined ? SAYS_NOTHING : { contradiction: contradictionJson(told, fact) }),
});

const SAYS_NOTHING = Object.freeze({});

const contradictionJson = (
  { factIds, conflictId, hasRules }: Contradiction,
  { id, entity, relation, scope, gardenId, value: { type } }: FactView['fact'],
) => {
  const resolve = `POST /v1/conflicts/${conflictId}/resolve`;
  return {
    fact_ids: factIds,
    conflict_id: conflictId,
    correct: correctionCall({ entity, relation, scope, garden_id: gardenId }, type, [id, ...factIds]),
    settle: `${resolve} ${JSON.stringify({ winning_fact_id: id })}`,
    ...(hasRules && { hold_many: `PUT /v1/relations ${JSON.stringify({ pattern: relation, values: 'many' })}` }),
  };
};

/** Returns an example call that stores the right value and ends the named facts. The caller fills in each `…`. */
const correctionCall = (place: object, type: string, replaces: readonly string[]): string => {
  const members = JSON.stringify({ ...place, replaces }).slice(1, -1);
  return `POST /v1/facts {"value":{"type":"${type}","v":…},"source":…,"reason":…,${members}}`;
};

/** The live facts of a triple, newest first, and the open record about it. */
interface HeldPlace {
  readonly live: readonly LiveOutline[];
  readonly recordId: string;
}

/** The rivals that the reply to one append may name. */
export interface NamedRivals {
  readonly ids: readonly string[];
  /** Adds the mark to a contradicted fact. `visible` holds the live facts that the caller may see. */
  mark(this: void, view: FactView, visible: ReadonlySet<string>): FactView;
}

export const NO_RIVALS: NamedRivals = { ids: [], mark: (view) => view };

/**
 * Finds the rivals to name in the reply to an append. The append already holds the live facts of each contested triple,
 * so this reads nothing from the store. Only the reply to a repeated fact reads them.
 */
export class RepliedRivals {
  readonly #places = new WeakMap<PluginSnapshot, Map<string, HeldPlace>>();
  readonly #parts: { readonly names: ServiceNames; readonly hasRules: boolean };

  constructor(parts: { readonly names: ServiceNames; readonly hasRules: boolean }) {
    this.#parts = parts;
  }

  /** Keeps the live facts of a triple for the replies of an open transaction. */
  keep(snapshot: PluginSnapshot, triple: string, { live, recordId }: HeldPlace): void {
    const known = this.#places.get(snapshot) ?? new Map<string, HeldPlace>();
    this.#places.set(snapshot, known.set(triple, { live: live.toSorted(compareAge), recordId }));
  }

  async named(views: readonly FactView[], context: ReadContext, tables: PluginTables): Promise<NamedRivals> {
    if (!hasPermission(context.caller, 'read')) return NO_RIVALS;
    const places = await this.#placesOf(views, context, tables);
    const rivals = new Map<string, readonly string[]>();
    for (const { fact } of views) rivals.set(fact.id, rivalsAmong(places.get(tripleId(fact))?.live ?? [], fact));
    return {
      ids: [...rivals.values()].flat(),
      mark: (view, visible) => {
        const factIds = rivals.get(view.fact.id)?.filter((id) => visible.has(id)) ?? [];
        const place = places.get(tripleId(view.fact));
        if (factIds.length === 0 || place === undefined) return view;
        const { names, hasRules } = this.#parts;
        return withMark(view, CONTRADICTION, { factIds, conflictId: conflictEntity(place.recordId, names), hasRules });
      },
    };
  }

  async #placesOf(
    views: readonly FactView[],
    { snapshot, nowMs }: ReadContext,
    tables: PluginTables,
  ): Promise<ReadonlyMap<string, HeldPlace>> {
    const held = this.#places.get(snapshot) ?? new Map<string, HeldPlace>();
    const missing = new Map(views.map(({ fact }) => [tripleId(fact), fact]));
    for (const id of held.keys()) missing.delete(id);
    if (missing.size === 0) return held;
    const triples = [...missing.values()];
    const records = await openRecords(tables.in(snapshot), triples);
    const live = await snapshot.siblings(triples, nowMs, SIBLING_LIMIT);
    const places = new Map(held);
    for (const [at, id] of [...missing.keys()].entries()) {
      const record = records.get(id);
      if (record !== undefined) {
        places.set(id, { live: (live[at] ?? []).toSorted(compareAge), recordId: record.id });
      }
    }
    return places;
  }
}

const rivalsAmong = (live: readonly LiveOutline[], { valueKey }: FactView['fact']): readonly string[] => {
  const ids: string[] = [];
  for (const other of live) {
    if (ids.length === MOST_NAMED) break;
    if (other.valueKey !== valueKey) ids.push(other.id);
  }
  return ids;
};
