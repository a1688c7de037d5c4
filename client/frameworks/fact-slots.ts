import type { Fact } from '../api-types.ts';
import { ConflictError } from '../client-errors.ts';
import type { FactClient } from '../fact-client.ts';
import type { Assertion, TypedValue } from '../fact-values.ts';

/** The node, source and place of an adapter. */
export interface AdapterOptions {
  /** The client of the node. Its key decides the tenant. */
  readonly client: FactClient;
  /** The source of every fact that the adapter asserts, for example `agent:planner`. */
  readonly source: string;
  /** Default: `company`. */
  readonly scope?: 'local' | 'team' | 'company' | 'public' | undefined;
  /** The URI, id or slug of a garden. Default: no garden. */
  readonly garden?: string | undefined;
}

/** The subject and relation of a slot. */
export interface Slot {
  readonly entity: string;
  readonly relation: string;
}

/** One of several live values that contradict each other. */
export interface Rival<Value> {
  readonly value: Value;
  readonly source: string;
  readonly confidence: number;
  readonly at: Date;
  readonly factId: string;
}

const PAGE = 500;
const MOST_IN_BATCH = 1_000;
const MOST_REPLACED = 100;
/** Leaves out retractions, whose confidence is 0. */
const MIN_CONFIDENCE = 1e-9;
const ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** The reply to a fact that names others to end, one of which is no longer live. */
interface OutdatedReply {
  readonly live_fact_ids?: readonly string[];
}

/**
 * Slots of one place: each holds the current value of an entity and relation. Frameworks overwrite values; here a new
 * fact ends the older ones, which stay in the history.
 */
export class FactSlots {
  readonly client: FactClient;
  readonly source: string;
  readonly #scope: NonNullable<AdapterOptions['scope']>;
  readonly #garden: string | undefined;

  constructor({ client, source, scope = 'company', garden }: AdapterOptions) {
    this.client = client;
    this.source = source;
    this.#scope = scope;
    this.#garden = garden;
  }

  /** The place as a recall names it. */
  get recallScope(): string {
    if (this.#garden === undefined) return this.#scope;
    return this.#garden.includes(':') || ID.test(this.#garden) ? this.#garden : `garden:${this.#garden}`;
  }

  /** Returns the winner of each slot, newest first. */
  async list(query: Partial<Slot>): Promise<Fact[]> {
    const winners = new Map<string, Fact>();
    for await (const fact of this.client.query(this.#query(query))) {
      const slot = `${fact.entity} ${fact.relation}`;
      if (this.holds(fact) && !winners.has(slot)) winners.set(slot, fact);
    }
    return [...winners.values()];
  }

  /** Returns the winner of a slot. */
  async read(slot: Slot): Promise<Fact | undefined> {
    return (await this.list(slot))[0];
  }

  /** Returns the winner of a slot, then all live facts that contradict it. */
  async rivalsOf(winner: Fact): Promise<Fact[]> {
    if (!winner.contradicted) return [winner];
    const { entity, relation, id } = winner;
    const rivals: Fact[] = [];
    for await (const fact of this.client.query({ ...this.#query({ entity, relation }), include_contradicted: true })) {
      if (this.holds(fact) && fact.contradicted && fact.id !== id) rivals.push(fact);
    }
    return [winner, ...rivals];
  }

  /** Returns whether a fact is in this place. A query without a garden also finds facts in gardens. */
  holds(fact: Fact): boolean {
    return fact.scope === this.#scope && (this.#garden !== undefined || (fact.garden_id ?? null) === null);
  }

  /** Returns the winner of a slot and the live facts that contradict it; an empty list for an empty slot. */
  async readAll(slot: Slot): Promise<readonly Fact[]> {
    const winner = await this.read(slot);
    return winner === undefined ? [] : this.rivalsOf(winner);
  }

  /** Stores a value in place of the live ones. Does nothing if the slot has only this value, from this source. */
  async write(slot: Slot, value: TypedValue, live?: readonly Fact[]): Promise<void> {
    const [winner, ...rivals] = live ?? (await this.readAll(slot));
    const fact = this.assertion(slot, value);
    if (winner === undefined) return void (await this.client.assert(fact));
    const isSame = winner.value.type === value.type && winner.value.v === value.v && winner.source === this.source;
    if (!isSame || rivals.length > 0) await this.#replace(fact, [winner, ...rivals]);
  }

  /** Stores several facts, in order and in one transaction for each 1000. Rejects if the node refuses one. */
  async append(facts: readonly Assertion[]): Promise<void> {
    for (let at = 0; at < facts.length; at += MOST_IN_BATCH) {
      const { results } = await this.client.assertMany(facts.slice(at, at + MOST_IN_BATCH));
      const refused = results.find(({ status }) => status >= 400);
      if (refused !== undefined) throw new Error(`the node refused a fact: ${JSON.stringify(refused)}`);
    }
  }

  /** Ends exactly the facts that were read from these slots. A value that somebody has stored since then stays. */
  async end(read: readonly (readonly Fact[])[]): Promise<void> {
    const pieces = read.flatMap((facts) => piecesOf(facts, MOST_REPLACED));
    for (const some of piecesOf(pieces, MOST_IN_BATCH)) {
      const { results } = await this.client.assertMany(some.map((facts) => naming(this.#retraction(facts), facts)));
      for (const [at, { status }] of results.entries()) {
        const facts = some[at] ?? [];
        // Some of them may have ended meanwhile. Retries with the facts that are still live, and throws other refusals.
        if (status >= 400) await this.#replace(this.#retraction(facts), facts);
      }
    }
  }

  assertion({ entity, relation }: Slot, value: TypedValue, derived_from?: Assertion['derived_from']): Assertion {
    const { source } = this;
    return { entity, relation, value, source, scope: this.#scope, garden_id: this.#garden, derived_from };
  }

  /** Stores a fact that ends others. A value that somebody has stored meanwhile stays, and contradicts the new fact. */
  async #replace(fact: Assertion, ended: readonly Fact[]): Promise<void> {
    // A retraction without named facts would end all facts of the triple.
    if (fact.confidence === 0 && ended.length === 0) return;
    try {
      await this.client.assert(naming(fact, ended.slice(0, MOST_REPLACED)));
    } catch (error) {
      const live = error instanceof ConflictError ? (error.body as OutdatedReply).live_fact_ids : undefined;
      const left = ended.filter(({ id }) => live?.includes(id));
      if (live === undefined || left.length === ended.length) throw error;
      await this.#replace(fact, left);
    }
  }

  #retraction([{ entity, relation } = NO_SLOT]: readonly Slot[]): Assertion {
    return { ...this.assertion({ entity, relation }, { type: 'string', v: 'retracted' }), confidence: 0 };
  }

  #query(slot: Partial<Slot>) {
    return { ...slot, scope: this.#scope, garden_id: this.#garden, min_confidence: MIN_CONFIDENCE, limit: PAGE };
  }
}

const NO_SLOT: Slot = { entity: '', relation: '' };

const naming = (fact: Assertion, ended: readonly Fact[]): Assertion => ({
  ...fact,
  replaces: ended.map(({ id }) => id),
});

const piecesOf = <T>(all: readonly T[], size: number): T[][] =>
  Array.from({ length: Math.ceil(all.length / size) }, (_, at) => all.slice(at * size, (at + 1) * size));

/** Returns a rival with its value as the framework knows it. */
export const rivalOf = <Value>(fact: Fact, value: Value): Rival<Value> => {
  const { source, confidence, timestamp, id } = fact;
  return { value, source, confidence, at: new Date(timestamp), factId: id };
};
