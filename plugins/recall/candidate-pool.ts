import { type FactReader, type FactView, isIn } from '../../kernel/plugin-api.ts';
import type { Hit, PlacedTriple } from '../search/search-api.ts';
import { type Admission, leftOutBy, type RecallFilter } from './admission.ts';
import type { CandidateTexts } from './candidate-texts.ts';
import { STAGE_DEPTH } from './search-depth.ts';

/**
 * Finds the best hits, at most `limit`, best first. Returns fewer only if no more exist. It may skip facts of
 * `contested` triples, which the recall leaves out anyway.
 */
export type Search<H extends Hit = Hit> = (limit: number, contested: readonly PlacedTriple[]) => Promise<readonly H[]>;

/** The checked hits of a search, best first. */
export interface Admitted<H extends Hit = Hit> {
  readonly hits: readonly H[];
  /** Hits that are left out only because of an unresolved contradiction. */
  readonly contradicted: readonly H[];
  /** True if the search may have more hits than requested. */
  readonly isCut?: boolean;
}

/** If an answer needs fewer facts than the depth, this share of the depth suffices. */
const ENOUGH = 0.5;
const DEEPER = 4;
/** The maximum number of hits that a search requests in order to skip facts hidden from the caller. */
const DEEPEST = 8_192;
/**
 * The maximum number of rounds that replace visible but excluded hits: contradicted facts, and facts of too little
 * trust.
 */
const MOST_ROUNDS = 8;
/** The maximum number of hits checked in one of these rounds. */
const MOST_WEIGHED = 512;

/**
 * Collects the facts of one recall. The index only proposes ids: a fact is used only if the store returns it to this
 * caller as live.
 */
export class CandidatePool {
  readonly #reader: FactReader;
  readonly #admission: Admission;
  readonly #texts: CandidateTexts;
  /** The facts read so far, by id; undefined for a fact that may not be shown. */
  readonly #seen = new Map<string, Seen | undefined>();
  /** Facts of one triple in one place are contradicted together, so one check covers them. */
  readonly #contested = new Map<string, PlacedTriple>();

  constructor(reader: FactReader, admission: Admission, texts: CandidateTexts) {
    this.#reader = reader;
    this.#admission = admission;
    this.#texts = texts;
  }

  /** Returns an empty pool that also admits facts which the request leaves out by its narrowing. */
  withoutNarrowing(): CandidatePool {
    const whole = { narrowed: undefined, relationKey: undefined, excludedRelationKeys: undefined };
    return new CandidatePool(this.#reader, { ...this.#admission, ...whole }, this.#texts);
  }

  /** Returns a candidate; undefined for any other fact. */
  get(id: string): FactView | undefined {
    const seen = this.#seen.get(id);
    return seen !== undefined && seen.leftOutBy === undefined ? seen.view : undefined;
  }

  /** Returns a fact that is left out only because of an unresolved contradiction, or undefined. */
  contradicted(id: string): FactView | undefined {
    const seen = this.#seen.get(id);
    return seen?.leftOutBy === 'include_contradicted' ? seen.view : undefined;
  }

  /**
   * Returns at most `depth` admissible hits of each search; a list sets the depth of each search separately. Reads
   * further hits from the index until `wanted` hits are admissible. One read of the store checks the hits of all
   * searches. Its depth and all counts depend only on facts that the caller sees.
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
      for (const course of open) this.#classify(course);
      open = open.filter((course) => course.goesOn(this.#contested));
    }
    return courses.map(({ hits, contradicted, isFull }, at) => ({
      hits: hits.slice(0, depthOf(at)),
      contradicted: [...contradicted.values()],
      isCut: isFull,
    }));
  }

  /** Extends each search until its window is full of hits that the caller sees, or until the search has no more. */
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

  /** Collects the admitted and the contradicted hits within the window of a search. */
  #classify<H extends Hit>(course: Course<H>): void {
    const { passed } = course;
    course.hits.length = 0;
    let weighed = 0;
    for (const hit of course.found) {
      const seen = this.#seen.get(hit.id);
      if (seen === undefined || (passed.size > 0 && passed.has(keyOf(seen.view.fact)))) continue;
      if (weighed === course.window) break;
      weighed += 1;
      if (seen.leftOutBy === undefined) course.hits.push(hit);
      if (seen.leftOutBy !== 'include_contradicted') continue;
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
      longValues: this.#texts.limits(),
    });
    this.#texts.count(facts);
    for (const view of await this.#reader.annotate(facts)) {
      this.#seen.set(view.fact.id, { view, leftOutBy: leftOutBy(view, this.#admission) });
    }
  }
}

/** A fact that the caller may see, and the filter of the request that leaves it out, if one does. */
interface Seen {
  readonly view: FactView;
  readonly leftOutBy: RecallFilter | undefined;
}

/** The state of one search that reads the index in rounds. */
class Course<H extends Hit> {
  readonly #search: Search<H>;
  /** The number of admissible hits after which the search stops replacing excluded ones. */
  readonly #enough: number;
  /** The number of visible hits to check. */
  window: number;
  /** The last result of the search. */
  found: readonly H[] = [];
  #limit: number;
  /**
   * Contested triples that further rounds exclude. An earlier round included them, so that all of their facts are
   * counted.
   */
  passed: ReadonlyMap<string, PlacedTriple> = new Map();
  /** True if the last round filled the window. */
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

  /** Raises the limit in proportion to the hits that the caller may not see. Returns false if that cannot help. */
  goesDeeper(visible: number): boolean {
    const missing = this.window - visible;
    if (missing <= 0 || this.found.length < this.#limit || this.#limit >= DEEPEST) return false;
    this.#limit = Math.min(DEEPEST, Math.ceil(this.#limit * (1 + ((DEEPER - 1) * missing) / this.window)));
    return true;
  }

  /**
   * Prepares another round: without the triples now known to be contested, otherwise with a larger window. Returns
   * false if that cannot help.
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
