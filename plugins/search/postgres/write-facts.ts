import type { FactName } from '../../../kernel/internal-api.ts';
import type {
  PluginTables,
  PluginTransaction,
  ServiceNames,
  StoredFact,
  SuppressedFacts,
} from '../../../kernel/plugin-api.ts';
import { ttlTarget } from '../../facts/facts-api.ts';
import { withTargets } from '../feed/follow-feed.ts';
import { isFindable } from '../index/indexed-fact.ts';
import type { VectorFormat } from '../vectors/vector-store.ts';
import { CoverRows } from './cover-rows.ts';
import { FactRows } from './fact-rows.ts';
import type { KeyHasher } from './key-hasher.ts';
import { PartRows } from './part-rows.ts';

export interface WriterParts {
  readonly tables: PluginTables;
  readonly hasher: KeyHasher;
  readonly format: VectorFormat;
  readonly names: ServiceNames;
  /** Undefined if no plugin hides facts. */
  readonly suppressed: SuppressedFacts | undefined;
}

/** Writes the rows by which searches find facts, in transactions of the facts' tenant. */
export class FactWriter {
  readonly facts: FactRows;
  readonly #parts: PartRows;
  readonly #covers: CoverRows;
  readonly #names: ServiceNames;
  readonly #suppressed: SuppressedFacts | undefined;

  constructor({ tables, hasher, format, names, suppressed }: WriterParts) {
    this.#parts = new PartRows(tables);
    this.#covers = new CoverRows(tables, hasher);
    this.facts = new FactRows(tables, hasher, this.#parts, format);
    this.#names = names;
    this.#suppressed = suppressed;
  }

  /** Works as `add`, but only for facts that have no row. */
  async addMissing(facts: readonly StoredFact[], transaction: PluginTransaction): Promise<void> {
    const [first] = facts;
    if (first === undefined) return;
    const there = new Set(facts);
    for (const fact of await this.facts.without(first.tenantId, facts, transaction)) there.delete(fact);
    await this.add(facts, transaction, there);
  }

  /** Removes hidden facts from the index, and adds the others. */
  async judge(facts: readonly StoredFact[], transaction: PluginTransaction): Promise<void> {
    const [first] = facts;
    if (first === undefined || this.#suppressed === undefined) return;
    // The rows of a destroyed fact were deleted together with its content.
    const whole = facts.filter((fact) => isFindable(fact) && fact.cid !== '');
    const hidden = await this.#suppressed.among(transaction, whole);
    await this.facts.remove(first.tenantId, hidden, transaction);
    const isHidden = new Set(hidden);
    await this.addMissing(
      whole.filter((fact) => !isHidden.has(fact)),
      transaction,
    );
  }

  /**
   * Adds facts of one tenant that have no row yet, and ends the facts that they end. The covers and times-to-live of
   * the facts must already be in the store.
   */
  async add(
    facts: readonly StoredFact[],
    transaction: PluginTransaction,
    there: ReadonlySet<StoredFact> = NONE,
  ): Promise<void> {
    const [first] = facts;
    if (first === undefined) return;
    const { tenantId } = first;
    const named: FactName[] = facts.map(({ id }) => ({ tenantId, id }));
    const findable = facts.filter((fact) => isFindable(fact) && fact.cid !== '' && !there.has(fact));
    // Sends all queries that need no earlier result at once, because each round trip costs as much as a statement.
    const [covers, expiries, hidden, known, covered] = await Promise.all([
      transaction.covers(named),
      transaction.expiries([...named, ...this.#targetsOf(facts)]),
      this.#suppressed === undefined ? [] : this.#suppressed.among(transaction, findable),
      this.#parts.named(tenantId, transaction),
      this.#covers.endsOf(findable, transaction),
    ]);
    const isHidden = new Set(hidden);
    const fresh = findable.filter((fact) => !isHidden.has(fact));
    const parts = await this.#parts.ensure(tenantId, known, [...fresh, ...covers], transaction);
    const lives = new Map(expiries.map((expiry) => [expiry.factId, expiry]));
    const changes = await this.facts.insert(tenantId, fresh, { covered, expiries: lives }, parts, transaction);
    const here = new Set(fresh.map(({ id }) => id));
    await Promise.all([
      this.#parts.change(changes, transaction),
      withTargets(covers, transaction).then((whole) => this.#covers.add(whole, parts, transaction)),
      this.facts.expire(
        expiries.filter(({ factId }) => !here.has(factId)),
        transaction,
      ),
    ]);
  }

  /** Returns the facts whose time-to-live the given facts set. */
  #targetsOf(facts: readonly StoredFact[]): FactName[] {
    const ttl = this.#names.meta('ttl');
    return facts.flatMap(({ tenantId, relationKey, entity }) =>
      relationKey === ttl ? [{ tenantId, id: ttlTarget(entity, this.#names) }] : [],
    );
  }
}

const NONE: ReadonlySet<StoredFact> = new Set();
