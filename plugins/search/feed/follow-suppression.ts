import { type FeedEntry, type HiddenEntity, portions } from '../../../kernel/internal-api.ts';
import {
  all,
  equals,
  FACT_RETURNED,
  isIn,
  type PluginSnapshot,
  type StoredFact,
  SUPPRESSION_CHANGED,
  type SuppressedFacts,
} from '../../../kernel/plugin-api.ts';
import { type IndexHost, indexedFact, type Judgement } from '../host/index-host.ts';
import { walkEntity } from './walk-entity.ts';

export interface SuppressionParts {
  readonly store: { read<T>(work: (snapshot: PluginSnapshot) => Promise<T>): Promise<T> };
  readonly suppressed: SuppressedFacts;
  readonly index: Pick<IndexHost, 'judge' | 'size'>;
}

/** The index holds a fact that was destroyed since, so the index must be rebuilt. */
export class DestroyedFactHeld extends Error {
  constructor() {
    super('the search index holds a fact that was destroyed');
  }
}

/**
 * Withholds facts hidden by tombstones from an index. Scores are then equal to those of an index without these facts.
 */
export class IndexSuppression {
  readonly #parts: SuppressionParts;
  /** False while the store has never hidden a fact; then no queries are needed. */
  #isNeeded = false;

  constructor(parts: SuppressionParts) {
    this.#parts = parts;
  }

  /** Withholds the facts that are hidden now. Rejects with `DestroyedFactHeld`. */
  async begin(): Promise<void> {
    const { store, suppressed, index } = this.#parts;
    for (let last: HiddenEntity = { tenantId: '', entityKey: '' }; ; ) {
      const after = last;
      const entities = await store.read((snapshot) => suppressed.entitiesAfter(snapshot, after, ENTITIES_PER_PAGE));
      const end = entities.at(-1);
      if (end !== undefined) this.#isNeeded = true;
      if (end === undefined || index.size.facts === 0) break;
      for (const entity of entities) await this.#judgeEntity(entity);
      last = end;
    }
  }

  /** Returns the hidden facts of a page, as of its snapshot. */
  async among(
    snapshot: PluginSnapshot,
    entries: readonly FeedEntry[],
    facts: readonly StoredFact[],
  ): Promise<readonly StoredFact[]> {
    if (entries.some(({ kind }) => kind === SUPPRESSION_CHANGED.id)) this.#isNeeded = true;
    return this.#isNeeded ? this.#parts.suppressed.among(snapshot, facts) : [];
  }

  /** Applies feed entries that hide or reveal facts. A later entry holds later changes. Rejects as `begin` does. */
  async follow(entries: readonly FeedEntry[]): Promise<void> {
    const { store, suppressed } = this.#parts;
    for (const { kind, tenantId, subjectId } of entries) {
      if (kind !== SUPPRESSION_CHANGED.id) continue;
      const keys = await store.read((snapshot) => suppressed.entitiesOf(snapshot, tenantId, subjectId));
      for (const entityKey of keys) await this.#judgeEntity({ tenantId, entityKey });
    }
    const returned = entries.filter(({ kind }) => kind === FACT_RETURNED.id);
    for (const tenantId of new Set(returned.map((entry) => entry.tenantId))) {
      const ids = returned.filter((entry) => entry.tenantId === tenantId).map(({ subjectId }) => subjectId);
      for (const some of portions(ids, FACTS_PER_PAGE)) {
        await this.#judge((snapshot) =>
          snapshot.find({
            filter: all(equals('tenantId', tenantId), isIn('id', some)),
            order: 'feed',
            limit: some.length,
          }),
        );
      }
    }
  }

  #judgeEntity(entity: HiddenEntity): Promise<void> {
    return walkEntity(entity, (work) => this.#parts.store.read(work), {
      facts: FACTS_PER_PAGE,
      bytes: BYTES_PER_PAGE,
      handle: (read) => this.#judge(read),
    });
  }

  /** Returns the facts whose visibility was checked. */
  async #judge(read: (snapshot: PluginSnapshot) => Promise<readonly StoredFact[]>): Promise<readonly StoredFact[]> {
    const { store, suppressed, index } = this.#parts;
    const { facts, hidden } = await store.read(async (snapshot) => {
      const facts = await read(snapshot);
      return { facts, hidden: new Set(await suppressed.among(snapshot, facts)) };
    });
    const judgements = facts.map((fact): Judgement => {
      const isDestroyed = fact.cid === '';
      const said = isDestroyed ? { tenantId: fact.tenantId, id: fact.id } : indexedFact(fact);
      return { fact: said, isDestroyed, isHidden: hidden.has(fact) };
    });
    if (judgements.length > 0 && !(await index.judge(judgements))) throw new DestroyedFactHeld();
    return facts;
  }
}

/** Undefined if no plugin hides facts. Rejects as `begin` does. */
export const openSuppression = async (
  index: SuppressionParts['index'],
  { store, suppressed }: Pick<SuppressionParts, 'store'> & { readonly suppressed?: SuppressedFacts | undefined },
): Promise<IndexSuppression | undefined> => {
  if (suppressed?.isSuppressing !== true) return undefined;
  const suppression = new IndexSuppression({ store, suppressed, index });
  await suppression.begin();
  return suppression;
};

const ENTITIES_PER_PAGE = 256;
const FACTS_PER_PAGE = 256;
const BYTES_PER_PAGE = 512 * 1024;
