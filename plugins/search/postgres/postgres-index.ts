import type { Hlc, PluginSnapshot, PluginTables } from '../../../kernel/plugin-api.ts';
import type {
  Hit,
  NamedFacts,
  QueriedVector,
  SearchAnswer,
  SearchIndex,
  SearchStep,
  SearchView,
} from '../search-api.ts';
import { findWords } from './find-words.ts';
import type { KeyHasher } from './key-hasher.ts';
import { NearVectors, type ServedGenerations } from './near-vectors.ts';
import { NEWEST_FIRST, OpenedView } from './opened-view.ts';
import { PartRows } from './part-rows.ts';
import { findBeside, findShares } from './session-neighbourhood.ts';
import { sql } from './sql-fragment.ts';

/** The vectors that searches use. */
export interface VectorSource {
  /** The embedders of the served generations, that of the node first. */
  embedders(): Promise<readonly string[]>;
  /** The generations of one embedder, by default the first; undefined if it has none. */
  servedBy(embedder: string | undefined, snapshot: PluginSnapshot): Promise<ServedGenerations | undefined>;
  /** True if facts lacked vectors at the last call of `embedders`. */
  readonly lacksVectors: boolean;
}

export interface PostgresIndexParts {
  readonly tables: PluginTables;
  readonly hasher: KeyHasher;
  /** Undefined without an embedder. */
  readonly vectors: VectorSource | undefined;
  /** See `SearchIndex.ready`. */
  ready(): Promise<Hlc | null>;
}

/** The search index in the tables of the store. Each plan is answered on one snapshot. */
export class PostgresIndex implements SearchIndex {
  readonly #parts: PostgresIndexParts;
  readonly #rows: PartRows;
  readonly #opened = new WeakMap<PluginSnapshot, Map<string, Promise<OpenedView>>>();

  constructor(parts: PostgresIndexParts) {
    this.#parts = parts;
    this.#rows = new PartRows(parts.tables);
  }

  ready(): Promise<Hlc | null> {
    return this.#parts.ready();
  }

  async isMakingVectors(): Promise<boolean> {
    return this.#parts.vectors?.lacksVectors ?? false;
  }

  async embedders(): Promise<readonly string[]> {
    return (await this.#parts.vectors?.embedders()) ?? [];
  }

  ask(plan: readonly SearchStep[], view: SearchView, snapshot?: PluginSnapshot): Promise<readonly SearchAnswer[]> {
    if (snapshot !== undefined) return this.#ask(plan, view, snapshot);
    return this.#parts.tables.read((_own, own) => this.#ask(plan, view, own));
  }

  async #ask(plan: readonly SearchStep[], view: SearchView, snapshot: PluginSnapshot): Promise<SearchAnswer[]> {
    const { vectors } = this.#parts;
    const opened = await this.#open(view, snapshot);
    const answers: SearchAnswer[] = [];
    if (opened.parts.length === 0) return plan.map(nothingFor);
    const taker = new StepTaker(opened, answers, (embedder) => vectors?.servedBy(embedder, snapshot));
    for (const step of plan) answers.push(await taker.answerTo(step));
    return answers;
  }

  /** Opens each view of a snapshot once, so that the plans of one recall share cached results. */
  #open(view: SearchView, snapshot: PluginSnapshot): Promise<OpenedView> {
    const views = this.#opened.get(snapshot) ?? new Map<string, Promise<OpenedView>>();
    this.#opened.set(snapshot, views);
    const name = JSON.stringify(view);
    const known = views.get(name) ?? this.#openAnew(view, snapshot);
    views.set(name, known);
    return known;
  }

  async #openAnew(view: SearchView, snapshot: PluginSnapshot): Promise<OpenedView> {
    const { tables, hasher } = this.#parts;
    return new OpenedView(view, await this.#rows.open(view, snapshot), tables.in(snapshot), hasher);
  }
}

type Served = (embedder: string | undefined) => Promise<ServedGenerations | undefined> | undefined;

class StepTaker {
  readonly #opened: OpenedView;
  /** The answers to the earlier steps. */
  readonly #answers: readonly SearchAnswer[];
  readonly #served: Served;

  constructor(opened: OpenedView, answers: readonly SearchAnswer[], served: Served) {
    this.#opened = opened;
    this.#answers = answers;
    this.#served = served;
  }

  async answerTo(step: SearchStep): Promise<SearchAnswer> {
    switch (step.find) {
      case 'words':
        return findWords(this.#opened, step.query, step.limit);
      case 'beside':
        return { hits: await findBeside(this.#opened, step.seeds, step.limit) };
      case 'newest':
        return { hits: await this.#newest(this.#opened.of(step.entityKey), step.limit) };
      case 'share':
        return { hits: await findShares(this.#opened, step.query, this.#idsOf(step.of)) };
      default:
        return this.#nearTo(step);
    }
  }

  async #nearTo(step: Extract<SearchStep, QueriedVector>): Promise<SearchAnswer> {
    const served = await this.#served(step.embedder);
    if (served === undefined) return nothingFor(step);
    const near = new NearVectors(this.#opened, served, step.vector);
    if (step.find === 'near') return { hits: await near.hits(step.floor, step.limit) };
    if (step.find === 'feedback') return near.feedback(this.#idsOf(step.from), this.#idsOf(step.of));
    return { hits: await near.similaritiesOf(this.#idsOf(step.of)), spread: await near.spread() };
  }

  async #newest(opened: OpenedView, limit: number): Promise<Hit[]> {
    if (limit < 1) return [];
    const rows = await opened.rows(
      sql`SELECT d.fact_id, d.confidence FROM search_postgres_facts d WHERE ${opened.accepted}
        ORDER BY ${NEWEST_FIRST} LIMIT ${limit}::int8`,
    );
    return rows.map((row) => ({ id: String(row['fact_id']), score: Number(row['confidence']) }));
  }

  #idsOf({ ids = [], foundBy = [], first }: NamedFacts): readonly string[] {
    const found = foundBy.flatMap((at) => this.#answers[at]?.hits.map(({ id }) => id) ?? []);
    return [...new Set([...ids, ...found])].slice(0, first);
  }
}

const nothingFor = ({ find }: SearchStep): SearchAnswer =>
  find === 'spread' ? { hits: [], spread: { count: 0, mean: 0, deviation: 0 } } : { hits: [] };
