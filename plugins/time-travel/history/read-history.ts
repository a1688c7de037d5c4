import {
  type Cover,
  LIST_BYTES,
  othersGoFirst,
  type TripleKey,
  tripleId,
  valueBytesOf,
} from '../../../kernel/internal-api.ts';
import {
  above,
  all,
  compareHlc,
  equals,
  type FactOutline,
  type FactReader,
  type FactView,
  type Filter,
  type Hlc,
  type StoredFact,
} from '../../../kernel/plugin-api.ts';
import type { IntactFacts } from '../../facts/facts-api.ts';
import type { RelationRules } from '../../relations/relations-api.ts';
import { type FactLife, isLiveAt, livesOf, type WinningPeriod, winningPeriods } from './fact-lives.ts';

/** The maximum number of facts of one triple for which lives are computed. A triple with more has none in the reply. */
const MOST_OF_TRIPLE = 500;
/** The maximum number of facts, over all triples of a page, for which lives are computed. */
const MOST_OF_PAGE = 2_000;
/** The maximum size in bytes of the values on one page. The rest of the reply is for the winners. */
const EVENT_BYTES = LIST_BYTES - 1024 * 1024;
/** The maximum number of ids of other facts that an event lists. */
const MOST_LISTED = 64;

/** A stored fact about an entity, with its end. */
export interface HistoryEvent {
  readonly kind: 'asserted' | 'received' | 'retracted' | 'resolved';
  readonly view: FactView;
  /**
   * Ids of the live facts of its triple and place that it contradicted when it was recorded, by the rules of that time.
   */
  readonly contradicts: readonly string[];
  /** Ids of the facts that it has ended. */
  readonly ends: readonly string[];
  /** Null for a fact without a life, and for a triple with too many facts. */
  readonly life: FactLife | null;
}

/** The winners of one triple and place. */
export interface TripleReigns {
  readonly triple: StoredFact;
  /** Null for a triple with too many facts. */
  readonly periods: readonly WinningPeriod[] | null;
}

export interface HistoryPage {
  /** In the order in which this node recorded them. */
  readonly events: readonly HistoryEvent[];
  /** The winners of each triple and place among the events. */
  readonly triples: readonly TripleReigns[];
  /** Stamp of the last event if further events follow. */
  readonly next: Hlc | null;
}

export interface HistoryQuery {
  /** Selects the facts. The rights of the reader narrow it further. */
  readonly filter: Filter;
  readonly after: Hlc | undefined;
  readonly limit: number;
}

export interface ReadParts {
  readonly intact: IntactFacts | undefined;
  /** The rules about relations that hold many values. */
  readonly rules: RelationRules | undefined;
}

/** Reads one page of a history: the facts of the page, and the lives of all facts in their triples. */
export const readHistory = async (
  reader: FactReader,
  { filter, after, limit }: HistoryQuery,
  { intact, rules }: ReadParts,
): Promise<HistoryPage> => {
  const { snapshot } = reader;
  const later = after === undefined ? [] : [above('feed', after)];
  const visible = all(await reader.constraint('visible'), equals('system', false));
  const found = await snapshot.find({
    filter: all(visible, filter, ...later),
    order: 'feed',
    limit: limit + 1,
    maxBytes: EVENT_BYTES,
  });
  const isCut = found.length > limit || valueBytesOf(found) >= EVENT_BYTES;
  const facts = found.slice(0, limit);
  const annotated = await reader.annotate(facts);
  const views = (await intact?.keepIntact(annotated, reader.caller)) ?? annotated;
  const lives = await livesOfTriples(reader, visible, facts);
  const events = views.map((view) => {
    const { tenantId, relationKey, feed } = view.fact;
    const holdsMany = rules?.at(tenantId, feed).holdsMany(relationKey) === true;
    return eventOf(view, lives.get(tripleId(view.fact)), holdsMany);
  });
  const triples = [...new Map(facts.map((fact) => [tripleId(fact), fact]))].map(([id, triple]): TripleReigns => {
    return { triple, periods: lives.get(id)?.periods ?? null };
  });
  return { events, triples, next: isCut ? (facts.at(-1)?.feed ?? null) : null };
};

interface TripleLives {
  readonly lives: readonly FactLife[];
  readonly periods: readonly WinningPeriod[];
  readonly covers: readonly Cover[];
}

/** Returns the lives by triple and place. Leaves out triples with too many facts. */
const livesOfTriples = async (
  { snapshot, nowMs }: FactReader,
  visible: Filter,
  facts: readonly StoredFact[],
): Promise<ReadonlyMap<string, TripleLives>> => {
  const known = new Map<string, TripleLives>();
  let read = 0;
  for (const [id, triple] of new Map(facts.map((fact) => [tripleId(fact), fact]))) {
    if (read >= MOST_OF_PAGE) break;
    const outlines = await snapshot.outline(all(visible, ...ofTriple(triple)), MOST_OF_TRIPLE + 1);
    read += outlines.length;
    if (outlines.length > MOST_OF_TRIPLE) continue;
    // Events list other facts in this order, and the store returns outlines in any.
    outlines.sort((a, b) => compareHlc(a.feed, b.feed));
    const covers = await snapshot.covers(outlines);
    const lives = livesOf(outlines, covers, await snapshot.expiries(outlines));
    known.set(id, { covers, lives, periods: winningPeriods(lives, nowMs) });
    // A triple takes some milliseconds, so other requests may run before the next one.
    await othersGoFirst();
  }
  return known;
};

const eventOf = (view: FactView, triple: TripleLives | undefined, holdsMany: boolean): HistoryEvent => {
  const { fact } = view;
  const { lives = [], covers = [] } = triple ?? {};
  const listed = (chosen: readonly FactLife[]) => chosen.slice(0, MOST_LISTED).map((life) => life.fact.id);
  const isRetraction = fact.confidence === 0;
  const isRival = (life: FactLife): boolean =>
    life.fact.id !== fact.id && life.fact.valueKey !== fact.valueKey && isLiveAt(life, fact.feed);
  return {
    kind: kindOf(fact, covers),
    view,
    contradicts: isRetraction || holdsMany ? [] : listed(lives.filter(isRival)),
    ends: listed(lives.filter(({ end, hasLived }) => hasLived && end?.factId === fact.id)),
    life: isRetraction ? null : (lives.find((life) => life.fact.id === fact.id) ?? null),
  };
};

const kindOf = ({ id, confidence, receivedFrom }: FactOutline | StoredFact, covers: readonly Cover[]) => {
  if (confidence === 0) return 'retracted';
  if (covers.some(({ factId, kind }) => factId === id && kind === 'resolution')) return 'resolved';
  return receivedFrom === null ? 'asserted' : 'received';
};

/** The facts of one triple and place. */
export const ofTriple = ({ entityKey, relationKey, scope, gardenId }: TripleKey): readonly Filter[] => [
  equals('entityKey', entityKey),
  equals('relationKey', relationKey),
  equals('scope', scope),
  equals('place', gardenId ?? ''),
];
