import {
  type Cover,
  compareHlc,
  type Expiry,
  type FeedEntry,
  type Hlc,
  isIn,
  type PluginSnapshot,
  type ServiceNames,
  type StoredFact,
  ttlTarget,
} from '../../../kernel/plugin-api.ts';
import type { IndexWriter } from '../index/memory-index.ts';

export interface FeedFollowerOptions {
  readonly store: { read<T>(work: (snapshot: PluginSnapshot) => Promise<T>): Promise<T> };
  readonly index: Pick<IndexWriter, 'add' | 'cover' | 'expire'>;
  readonly names: ServiceNames;
  /** Stamp up to which the feed is in the index already; without, it is read from its beginning. */
  readonly applied?: Hlc;
  /** Told what went wrong while catching up for nobody in particular. */
  onError(error: unknown): void;
}

/** Keeps an index at the head of the store's feed. What the index holds is always a prefix of the feed. */
export class FeedFollower {
  readonly #options: FeedFollowerOptions;
  #applied: Hlc;
  /** Never rejects. */
  #running: Promise<void> = Promise.resolve();
  #waiting: Promise<void> | undefined;
  #pageSize = FIRST_PAGE;
  /** Facts that this process has committed and the index has not met. */
  #committed = new Map<string, StoredFact>();
  #committedCharacters = 0;

  constructor(options: FeedFollowerOptions) {
    this.#options = options;
    this.#applied = options.applied ?? BEFORE_ALL;
  }

  /** Stamp up to which the feed is in the index. */
  get applied(): Hlc {
    return this.#applied;
  }

  /**
   * Resolves when all that was committed before the call, by whichever process, is in the index; one small query when
   * nothing is new. Calls that come while one is running share the next one. Rejects as the store does; the index stays
   * what it was, and the next call tries again.
   */
  catchUp(): Promise<void> {
    this.#waiting ??= this.#takeTurn();
    return this.#waiting;
  }

  /**
   * Facts that were just committed in this process, so that they need not be read. The feed alone says whether and when
   * they are next; what is forgotten here is read.
   */
  committed(facts: readonly StoredFact[]): void {
    for (const fact of facts) {
      if (compareHlc(fact.feed, this.#applied) <= 0 || this.#committed.has(fact.id)) continue;
      this.#committed.set(fact.id, fact);
      this.#committedCharacters += charactersOf(fact);
    }
    if (this.#committedCharacters > MOST_CHARACTERS) this.#forgetCommitted();
    if (this.#committed.size < MANY_COMMITTED || this.#waiting !== undefined) return;
    this.catchUp().catch((error: unknown) => {
      this.#forgetCommitted();
      this.#options.onError(error);
    });
  }

  async #takeTurn(): Promise<void> {
    await this.#running;
    // From here on the feed is read, and a later call would not know whether its facts were seen.
    this.#waiting = undefined;
    const run = this.#readToHead();
    this.#running = run.catch(() => {});
    await run;
  }

  async #readToHead(): Promise<void> {
    let head: Hlc | undefined;
    for (;;) {
      const isLast = await this.#options.store.read(async (snapshot) => {
        const limit = this.#pageSize;
        const entries = await snapshot.feedAfter(this.#applied, limit);
        if (entries.length === limit) head ??= (await snapshot.head()) ?? this.#applied;
        if (entries.length === 0) return true;
        const page = await this.#read(snapshot, entries);
        await this.#applyInTurns(page);
        if (page.entries.length < entries.length) return false;
        return entries.length < limit || head === undefined || compareHlc(this.#applied, head) >= 0;
      });
      if (isLast) return;
    }
  }

  /** What stands in the feed there, as far as there is room for its values. */
  async #read(snapshot: PluginSnapshot, all: readonly FeedEntry[]): Promise<FeedPage> {
    const { entries, facts } = await this.#factsOf(snapshot, all);
    const ids = factIdsOf(entries);
    const mortal = [...new Set([...ids, ...this.#targetsOf(facts)])];
    const [covers, expiries] = await Promise.all([snapshot.covers(ids), snapshot.expiries(mortal)]);
    return { entries, facts, covers, expiries };
  }

  /**
   * Much text is taken in piece by piece, and others have their turn in between. After each piece the index holds a
   * prefix of the feed.
   */
  async #applyInTurns(page: FeedPage): Promise<void> {
    const characters = page.facts.reduce((sum, fact) => sum + charactersOf(fact), 0);
    if (characters <= PAGE_CHARACTERS) this.#apply(page);
    else {
      for (const piece of this.#piecesOf(page)) {
        this.#apply(piece);
        await new Promise<void>((resolve) => setImmediate(resolve));
      }
    }
    this.#adaptPage(characters);
  }

  *#piecesOf({ entries, facts, covers, expiries }: FeedPage): Generator<FeedPage> {
    const byId = new Map(facts.map((fact) => [fact.id, fact]));
    let from = 0;
    let characters = 0;
    for (const [at, { subjectId }] of entries.entries()) {
      const fact = byId.get(subjectId);
      characters += fact === undefined ? 0 : charactersOf(fact);
      if (characters < PAGE_CHARACTERS && at + 1 < entries.length) continue;
      const some = entries.slice(from, at + 1);
      const own = some.flatMap((entry) => byId.get(entry.subjectId) ?? []);
      const ids = new Set([...some.map((entry) => entry.subjectId), ...this.#targetsOf(own)]);
      const isOwn = ({ factId }: { readonly factId: string }): boolean => ids.has(factId);
      yield { entries: some, facts: own, covers: covers.filter(isOwn), expiries: expiries.filter(isOwn) };
      from = at + 1;
      characters = 0;
    }
  }

  /** In the order of the feed. */
  async #factsOf(snapshot: PluginSnapshot, all: readonly FeedEntry[]): Promise<Pick<FeedPage, 'entries' | 'facts'>> {
    const unknown = factIdsOf(all).filter((id) => !this.#committed.has(id));
    const read =
      unknown.length === 0
        ? []
        : await snapshot.find({
            filter: isIn('id', unknown),
            order: 'feed',
            limit: unknown.length,
            maxBytes: PAGE_BYTES,
          });
    const last = read.at(-1);
    // What is missing at the end was left out for its length, and comes with the next page.
    const isCut = last !== undefined && last.id !== unknown.at(-1);
    const entries = isCut ? all.slice(0, 1 + all.findLastIndex(({ subjectId }) => subjectId === last.id)) : all;
    const byId = new Map(read.map((fact) => [fact.id, fact]));
    return { entries, facts: factIdsOf(entries).flatMap((id) => this.#committed.get(id) ?? byId.get(id) ?? []) };
  }

  /** At once, so that the index and its stamp never disagree. */
  #apply({ entries, facts, covers, expiries }: FeedPage): void {
    const { index } = this.#options;
    for (const fact of facts) index.add(fact);
    for (const cover of covers) index.cover(cover);
    for (const { factId, expiresMs, hlc } of expiries) index.expire(factId, expiresMs, hlc);
    this.#applied = (entries.at(-1) as FeedEntry).stamp;
    for (const { subjectId } of entries) this.#forget(subjectId);
  }

  /**
   * Long facts are read in short pages: memory, and the time until others have their turn, follow the text that is
   * read.
   */
  #adaptPage(characters: number): void {
    if (characters > PAGE_CHARACTERS) this.#pageSize = Math.max(1, this.#pageSize >>> 2);
    else if (characters < PAGE_CHARACTERS / 2) this.#pageSize = Math.min(LARGEST_PAGE, this.#pageSize * 2);
  }

  /** Facts whose time to live the given ones set. */
  #targetsOf(facts: readonly StoredFact[]): string[] {
    const { names } = this.#options;
    const ttl = names.meta('ttl');
    return facts.flatMap(({ relationKey, entity }) => (relationKey === ttl ? [ttlTarget(entity, names)] : []));
  }

  #forget(id: string): void {
    const fact = this.#committed.get(id);
    if (fact === undefined) return;
    this.#committed.delete(id);
    this.#committedCharacters -= charactersOf(fact);
  }

  #forgetCommitted(): void {
    this.#committed = new Map();
    this.#committedCharacters = 0;
  }
}

interface FeedPage {
  readonly entries: readonly FeedEntry[];
  readonly facts: readonly StoredFact[];
  readonly covers: readonly Cover[];
  readonly expiries: readonly Expiry[];
}

const BEFORE_ALL: Hlc = { wallMs: 0, counter: 0 };

/** Entries of the feed that are read at once. */
const FIRST_PAGE = 32;
const LARGEST_PAGE = 512;
const PAGE_CHARACTERS = 512 * 1024;
/** Of the values of one page: pages follow facts that were short, and the next ones may not be. */
const PAGE_BYTES = 4 * 1024 * 1024;
/** Committed facts that wait for a search; more are taken in without one. */
const MANY_COMMITTED = 256;
const MOST_CHARACTERS = 8 * 1024 * 1024;

const factIdsOf = (entries: readonly FeedEntry[]): string[] =>
  entries.flatMap(({ kind, subjectId }) => (kind === 'fact' ? [subjectId] : []));

const charactersOf = ({ value }: StoredFact): number => (typeof value.v === 'string' ? value.v.length : 0) + 512;
