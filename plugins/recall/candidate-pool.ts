import { type FactReader, type FactView, isIn } from '../../kernel/plugin-api.ts';
import { isContradicted } from '../conflicts/conflicts-api.ts';
import type { Hit, PlacedTriple, SearchView } from '../search/search-api.ts';
import { effectiveConfidence } from '../source-trust/source-trust-api.ts';
import { STAGE_DEPTH } from './search-depth.ts';

/** Which of the facts that the caller sees may be candidates. */
export interface Admission {
  readonly includeContradicted: boolean;
  /** Least confidence after trust in the source. */
  readonly minConfidence: number;
}

/** The part of a view that plugins need not know when they lead from fact to fact. */
export type Wanted = Pick<SearchView, 'scopes' | 'onlyGarden' | 'relationKey'>;

/**
 * Finds the best hits, at most `limit`, best first; fewer only when there are no more. Facts of `contested` triples
 * need not be found: they would be left out.
 */
export type Search<H extends Hit = Hit> = (limit: number, contested: readonly PlacedTriple[]) => Promise<readonly H[]>;

/** The hits of a search that were judged, best first. */
export interface Admitted<H extends Hit = Hit> {
  readonly hits: readonly H[];
  /** Hits that are left out for an unresolved contradiction, and for nothing else. */
  readonly contradicted: readonly H[];
  /** Whether the search may have more than it was asked for. */
  readonly isCut?: boolean;
}

/** Share of the depth that is worth ranking, where an answer can do with fewer. */
const ENOUGH = 0.5;
const DEEPER = 4;
/** How far a search goes past what the caller may not see. */
const DEEPEST = 8_192;
/**
 * How often a search goes on past facts that the caller sees and that are left out: those that others contradict, or
 * that are trusted too little.
 */
const MOST_ROUNDS = 8;
/** And how many it looks at in one of these rounds. */
const MOST_WEIGHED = 512;

/**
 * The facts of one recall. The index proposes identifiers; only what the store itself shows the caller as live comes
 * in, before it is ranked or leads anywhere.
 */
export class CandidatePool {
  readonly #reader: FactReader;
  readonly #admission: Admission & Wanted;
  /** Undefined for a fact that may not be shown. */
  readonly #seen = new Map<string, { readonly view: FactView; readonly standing: Standing } | undefined>();
  /** Facts of one triple in one place contradict together, so one look at them is enough. */
  readonly #contested = new Map<string, PlacedTriple>();

  constructor(reader: FactReader, admission: Admission & Wanted) {
    this.#reader = reader;
    this.#admission = admission;
  }

  /** A candidate, or undefined. */
  get(id: string): FactView | undefined {
    const seen = this.#seen.get(id);
    return seen?.standing === 'admitted' ? seen.view : undefined;
  }

  /** A fact that is left out for an unresolved contradiction alone, or undefined. */
  contradicted(id: string): FactView | undefined {
    const seen = this.#seen.get(id);
    return seen?.standing === 'contradicted' ? seen.view : undefined;
  }

  /**
   * Returns of each search at most `depth` hits that may be shown, or as many as the list says by search. It goes
   * deeper into the index while they are too few and the index has more, and past facts that are left out until it has
   * as many as are `wanted`. One read of the store judges the hits of all searches. How far it looks, and all counts,
   * depend only on facts that the caller sees.
   */
  async admit<H extends Hit>(
    searches: readonly Search<H>[],
    depth: number | readonly number[] = STAGE_DEPTH,
    wanted = 0,
  ): Promise<Admitted<H>[]> {
    const depthOf = (at: number): number => (typeof depth === 'number' ? depth : (depth[at] ?? STAGE_DEPTH));
    const courses = searches.map((search, at) => new Course(search, depthOf(at), wanted));
    for (let round = 0, open = courses; open.length > 0 && round < MOST_ROUNDS; round += 1) {
      await this.#look(open);
      for (const course of open) this.#take(course);
      open = open.filter((course) => course.goesOn(this.#contested));
    }
    return courses.map(({ hits, contradicted, isFull }, at) => ({
      hits: hits.slice(0, depthOf(at)),
      contradicted: [...contradicted.values()],
      isCut: isFull,
    }));
  }

  /** Brings each search to as many hits that the caller sees as its window has room for, or to its end. */
  async #look<H extends Hit>(courses: readonly Course<H>[]): Promise<void> {
    for (let open = courses; open.length > 0; ) {
      await Promise.all(open.map((course) => course.search()));
      await this.#read(open.flatMap(({ found }) => found));
      open = open.filter((course) => course.goesDeeper(this.#visible(course)));
    }
  }

  #visible<H extends Hit>({ found }: Course<H>): number {
    return found.reduce((sum, { id }) => (this.#seen.get(id) === undefined ? sum : sum + 1), 0);
  }

  /** Sorts the hits in the window of a search. */
  #take<H extends Hit>(course: Course<H>): void {
    const { passed } = course;
    course.hits.length = 0;
    let weighed = 0;
    for (const hit of course.found) {
      const seen = this.#seen.get(hit.id);
      if (seen === undefined || (passed.size > 0 && passed.has(keyOf(seen.view.fact)))) continue;
      if (weighed === course.window) break;
      weighed += 1;
      if (seen.standing === 'admitted') course.hits.push(hit);
      if (seen.standing !== 'contradicted') continue;
      course.contradicted.set(hit.id, hit);
      const { scope, gardenId, entityKey, relationKey } = seen.view.fact;
      this.#contested.set(keyOf(seen.view.fact), { scope, gardenId, entityKey, relationKey });
    }
    course.isFull = weighed === course.window;
  }

  async #read(hits: readonly Hit[]): Promise<void> {
    const ids = [...new Set(hits.map(({ id }) => id))].filter((id) => !this.#seen.has(id));
    if (ids.length === 0) return;
    for (const id of ids) this.#seen.set(id, undefined);
    const facts = await this.#reader.find(isIn('id', ids), {
      view: 'live',
      order: 'any',
      limit: ids.length,
      mayCache: true,
    });
    for (const view of await this.#reader.annotate(facts)) {
      this.#seen.set(view.fact.id, { view, standing: this.#standingOf(view) });
    }
  }

  #standingOf(view: FactView): Standing {
    const { includeContradicted, minConfidence, scopes, onlyGarden, relationKey } = this.#admission;
    const { scope, gardenId, relationKey: relation } = view.fact;
    if (!scopes.includes(scope) || (onlyGarden !== undefined && gardenId !== onlyGarden)) return 'unfit';
    if (relationKey !== undefined && relation !== relationKey) return 'unfit';
    if (effectiveConfidence(view) < minConfidence) return 'unfit';
    return isContradicted(view) && !includeContradicted ? 'contradicted' : 'admitted';
  }
}

type Standing = 'admitted' | 'contradicted' | 'unfit';

/** One search on its way into the index. */
class Course<H extends Hit> {
  readonly #search: Search<H>;
  /** With so many hits the search need not continue past facts that are left out. */
  readonly #enough: number;
  /** Hits to be weighed that the caller sees. */
  window: number;
  /** The last result of the search. */
  found: readonly H[] = [];
  #limit: number;
  /**
   * Contested triples that this search goes on without. It has looked once with them, so that all that it would find is
   * counted.
   */
  passed: ReadonlyMap<string, PlacedTriple> = new Map();
  /** Whether there was as much to be weighed as the window has room for. */
  isFull = false;
  readonly hits: H[] = [];
  readonly contradicted = new Map<string, H>();

  constructor(search: Search<H>, depth: number, wanted: number) {
    this.#search = search;
    this.#enough = Math.max(ENOUGH * depth, Math.min(depth, wanted));
    this.window = depth;
    this.#limit = depth;
  }

  async search(): Promise<void> {
    this.found = await this.#search(this.#limit, [...this.passed.values()]);
  }

  /** Whether to search on, past what the caller may not see: as much further as there was of that. */
  goesDeeper(visible: number): boolean {
    const missing = this.window - visible;
    if (missing <= 0 || this.found.length < this.#limit || this.#limit >= DEEPEST) return false;
    this.#limit = Math.min(DEEPEST, Math.ceil(this.#limit * (1 + ((DEEPER - 1) * missing) / this.window)));
    return true;
  }

  /**
   * Whether another round may bring more: without triples that are now known to be contested, or else from further
   * down.
   */
  goesOn(contested: ReadonlyMap<string, PlacedTriple>): boolean {
    if (!this.isFull || this.hits.length >= this.#enough) return false;
    if (contested.size > this.passed.size) {
      this.passed = new Map(contested);
      return true;
    }
    if (this.window >= MOST_WEIGHED) return false;
    this.window = Math.min(MOST_WEIGHED, this.window * DEEPER);
    this.#limit = Math.max(this.#limit, this.window);
    return true;
  }
}

const keyOf = ({ scope, gardenId, entityKey, relationKey }: PlacedTriple): string =>
  JSON.stringify([scope, gardenId, entityKey, relationKey]);
