import { all, below, equals, type Filter, isIn, not, type Principal, type StoredFact } from '../../ports/ports.ts';
import type { HookCaller } from '../hooks/define-hook.ts';
import type { ServiceNames } from '../identity/service-names.ts';
import { LIST_BYTES } from '../pages/spelled-list.ts';
import type { PluginSnapshot } from '../store/plugin-transaction.ts';
import { cacheableUntil } from './cacheable-until.ts';
import { currentAmong, liveAmong, visibleTo } from './default-constraints.ts';
import { type FactView, plainView } from './fact-view.ts';
import type { GardenAccess } from './garden-access.ts';
import { matchKey } from './match-key.ts';
import { readAnnotate, readConstrain } from './read-hooks.ts';
import type { ReadMoment } from './read-moment.ts';
import type { FactPage, FactReader, FactSearch, ReadContext, ReadView } from './reader-api.ts';
import { valueBytesOf } from './value-bytes.ts';

export interface ReaderParts {
  readonly hooks: HookCaller;
  readonly names: ServiceNames;
  readonly gardens: () => GardenAccess | undefined;
}

/** A look-up by ids at the origin reads at most this many facts for each id on average. More than one is rare. */
const MOST_OF_ONE_ORIGIN_ID = 8;

const NOTHING_EXTRA: ReadContext['include'] = { contradicted: false, expired: false, retracted: false };

/** The caller, snapshot, purpose and moment of a read. */
export type ReadAim = Pick<ReadContext, 'caller' | 'snapshot' | 'purpose' | 'notes' | keyof ReadMoment>;

/** Opens a reader on a snapshot, and computes all constraints on that same snapshot. */
export const openReader = async (parts: ReaderParts, aim: ReadAim): Promise<FactReader> => {
  const gardens = await parts.gardens()?.readable(aim.caller, aim.snapshot);
  const reader = new SnapshotReader(parts, aim, gardens ?? []);
  // Checks the moment first, so that an invalid one is refused even when no fact matches.
  if (aim.asOf !== undefined) await reader.constraint('visible');
  return reader;
};

class SnapshotReader implements FactReader {
  readonly caller: Principal;
  readonly snapshot: PluginSnapshot;
  readonly nowMs: number;
  readonly asOf: ReadMoment['asOf'];
  readonly isValidity: ReadMoment['isValidity'];
  readonly gardens: 'all' | readonly string[];
  readonly #parts: ReaderParts;
  readonly #aim: ReadAim;
  #visible: Promise<Filter> | undefined;
  #live: Promise<Filter> | undefined;

  constructor(parts: ReaderParts, aim: ReadAim, gardens: 'all' | readonly string[]) {
    this.#parts = parts;
    this.#aim = aim;
    this.caller = aim.caller;
    this.snapshot = aim.snapshot;
    this.nowMs = aim.nowMs;
    this.asOf = aim.asOf;
    this.isValidity = aim.isValidity;
    this.gardens = gardens;
  }

  async query(search: FactSearch): Promise<FactPage> {
    const about = this.#aboutOf(search);
    const include = {
      contradicted: search.includeContradicted ?? false,
      expired: search.includeExpired ?? false,
      retracted: search.includeRetracted ?? false,
    };
    const filter = all(await this.#current(about, include), ...this.#conditionsOf(search, about));
    const facts = await this.snapshot.find({
      filter,
      order: 'timestamp',
      limit: search.limit + 1,
      maxBytes: LIST_BYTES,
      // Does not cache a read of everything, because it would evict facts that other reads need.
      mayCache: search.entity !== undefined,
      ...(search.position === undefined ? {} : { after: search.position }),
    });
    // A page below its limit has reached the byte limit, or the end of the list.
    const more = facts.length > search.limit || valueBytesOf(facts) >= LIST_BYTES;
    if (facts.length > search.limit) facts.length = search.limit;
    const total = more || search.position !== undefined ? await this.snapshot.count(filter) : facts.length;
    const last = facts.at(-1);
    return {
      facts: await this.annotate(facts),
      total,
      next: more && last !== undefined ? { timestampMs: last.timestampMs, id: last.id } : null,
    };
  }

  async get(id: string): Promise<FactView | undefined> {
    // Uses one query that checks visibility before it reads. A hidden fact thus takes the same time as an unknown one,
    // at any size.
    return (await this.annotate([...(await this.byGivenIds([id])).values()]))[0];
  }

  async newestByCid(cid: string): Promise<FactView | undefined> {
    const found = await this.find(equals('cid', cid), { view: 'visible', order: 'hlc', limit: 1 });
    return (await this.annotate(found))[0];
  }

  visible(ids: readonly string[]): Promise<StoredFact[]> {
    return this.find(isIn('id', ids), { view: 'visible', order: 'feed', limit: ids.length, mayCache: true });
  }

  async byGivenIds(ids: readonly string[]): Promise<ReadonlyMap<string, StoredFact>> {
    const found = new Map((await this.visible(ids)).map((fact) => [fact.id, fact]));
    const missing = ids.filter((id) => !found.has(id));
    if (missing.length === 0) return found;
    const limit = missing.length * MOST_OF_ONE_ORIGIN_ID;
    const others = await this.find(isIn('originId', missing), { view: 'visible', order: 'feed', limit });
    // Of several facts, takes the first by id, which is the same on all nodes.
    for (const fact of others.sort((a, b) => (a.id < b.id ? -1 : 1))) {
      if (fact.originId !== null && !found.has(fact.originId)) found.set(fact.originId, fact);
    }
    return found;
  }

  async find(filter: Filter, { view, ...query }: Parameters<FactReader['find']>[1]): Promise<StoredFact[]> {
    const constraint = await this.constraint(view);
    return this.snapshot.find({ filter: all(constraint, filter), ...query });
  }

  constraint(view: ReadView, about: ReadContext['about'] = {}): Promise<Filter> {
    if (view === 'current') return this.#current(about, NOTHING_EXTRA);
    if (view === 'live') {
      this.#live ??= this.#visibleFilter().then((visible) => liveAmong(visible, this));
      return this.#live;
    }
    return this.#visibleFilter();
  }

  async cacheableUntil(entity: string): Promise<number> {
    const { caller, snapshot, nowMs, asOf, isValidity } = this;
    const isOfNow = asOf === undefined && isValidity === undefined && this.#aim.notes === undefined;
    if (!isOfNow) return Number.NEGATIVE_INFINITY;
    const entityKey = matchKey(entity, this.#parts.names);
    return cacheableUntil(this.#parts.hooks, { caller, snapshot, entityKey, nowMs });
  }

  async annotate(facts: readonly StoredFact[]): Promise<FactView[]> {
    const views = facts.map(plainView);
    if (views.length === 0 || !this.#parts.hooks.hasHandlers(readAnnotate)) return views;
    const context = this.#context('visible', {}, NOTHING_EXTRA);
    const marked = await this.#parts.hooks.filter<readonly FactView[], ReadContext>(readAnnotate, views, context);
    // Throws when a handler drops a fact, because a page with fewer facts than its total would reveal hidden facts.
    const isWhole = marked.length === views.length && marked.every(({ fact }, at) => fact === facts[at]);
    if (!isWhole) throw new Error('handlers of read:annotate must return a view of each fact, in the order given');
    return [...marked];
  }

  #visibleFilter(): Promise<Filter> {
    this.#visible ??= this.#constrained('visible', {}, NOTHING_EXTRA);
    return this.#visible;
  }

  async #current(about: ReadContext['about'], include: ReadContext['include']): Promise<Filter> {
    const visible = await this.#visibleFilter();
    const context = this.#context('current', about, include);
    const narrower = await this.#parts.hooks.collect(readConstrain, context);
    return all(currentAmong(visible, context), ...narrower);
  }

  async #constrained(view: ReadView, about: ReadContext['about'], include: ReadContext['include']): Promise<Filter> {
    const base = visibleTo(this.caller, this.gardens, this.asOf);
    const narrower = await this.#parts.hooks.collect(readConstrain, this.#context(view, about, include));
    return narrower.length === 0 ? base : all(base, ...narrower);
  }

  #context(view: ReadView, about: ReadContext['about'], include: ReadContext['include']): ReadContext {
    return { view, gardens: this.gardens, about, include, live: () => this.constraint('live'), ...this.#aim };
  }

  #aboutOf(search: FactSearch): ReadContext['about'] {
    const { names } = this.#parts;
    return {
      ...(search.entity === undefined ? {} : { entityKey: matchKey(search.entity, names) }),
      ...(search.relation === undefined ? {} : { relationKey: matchKey(search.relation, names) }),
      ...(search.scope === undefined ? {} : { scope: search.scope }),
    };
  }

  #conditionsOf(search: FactSearch, about: ReadContext['about']): Filter[] {
    const conditions: Filter[] = [];
    if (about.entityKey !== undefined) conditions.push(equals('entityKey', about.entityKey));
    if (about.relationKey !== undefined) conditions.push(equals('relationKey', about.relationKey));
    if (about.scope !== undefined) conditions.push(equals('scope', about.scope));
    if (search.gardenId !== undefined) conditions.push(equals('gardenId', search.gardenId));
    if (search.source !== undefined) conditions.push(equals('sourceKey', matchKey(search.source, this.#parts.names)));
    if (search.minConfidence !== undefined) conditions.push(not(below('confidence', search.minConfidence)));
    if (search.attested !== undefined) conditions.push(equals('attested', search.attested));
    if (search.session !== undefined) {
      const { id, assertedBy } = search.session;
      conditions.push(equals('sessionId', id));
      if (assertedBy !== undefined) conditions.push(equals('assertedBy', assertedBy));
    }
    if (search.filter !== undefined) conditions.push(search.filter);
    return conditions;
  }
}
