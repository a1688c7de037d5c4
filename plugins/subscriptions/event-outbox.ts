import { grouped } from '../../kernel/internal-api.ts';
import type {
  AppendedBatch,
  FactReader,
  Facts,
  PluginTables,
  PluginTransaction,
  Principal,
  Random,
  Row,
  StoredFact,
} from '../../kernel/plugin-api.ts';
import type { ConflictChange } from '../conflicts/conflicts-api.ts';
import { type AccessCheck, mayReadTarget } from './access-check.ts';
import { rowOfNewEvent } from './event-row.ts';
import {
  type EventType,
  entityTarget,
  gardenTarget,
  RECORDS,
  type Subscription,
  scopeTarget,
  subscriptionOf,
  wantsType,
} from './subscription-record.ts';
import { EVENTS, WORK } from './subscription-store.ts';

export interface OutboxParts {
  readonly tables: PluginTables;
  readonly facts: Facts;
  readonly random: Random;
  readonly access: AccessCheck;
  /** Runs when this process has queued events, so that it looks for them right after the commit. */
  queued(): void;
}

/** A change that subscriptions report. */
interface Cause {
  readonly type: EventType;
  readonly fact: StoredFact;
  readonly change?: ConflictChange;
}

/**
 * Queues events in the transaction of the change that they report, so that both commit together. Finds the matching
 * subscriptions of a whole batch by one indexed look-up, so their number does not matter.
 */
export class EventOutbox {
  readonly #parts: OutboxParts;
  /**
   * Changes of conflicts by transaction. They are received before the facts of their batch, but reported after them.
   */
  readonly #changes = new WeakMap<PluginTransaction, Cause[]>();

  constructor(parts: OutboxParts) {
    this.#parts = parts;
  }

  notice(type: 'conflict_opened' | 'conflict_resolved', change: ConflictChange): void {
    const noticed = this.#changes.get(change.transaction) ?? [];
    noticed.push({ type, fact: change.fact, change });
    this.#changes.set(change.transaction, noticed);
  }

  async queue({ facts, transaction, nowMs }: AppendedBatch): Promise<void> {
    const causes = facts.filter(({ fact }) => !fact.system).map(({ fact }) => causeOf(fact));
    causes.push(...(this.#changes.get(transaction) ?? []));
    this.#changes.delete(transaction);
    if (causes.length === 0) return;
    const own = this.#parts.tables.in(transaction);
    const found = await this.#matching(causes, transaction);
    if (found.length === 0) return;
    const rows: Row[] = [];
    for (const { cause, subscription, witnesses } of found) {
      const { type, fact } = cause;
      const event = {
        id: this.#parts.random.uuid(),
        type,
        factId: fact.id,
        witnesses,
        hlc: fact.hlcText,
        place: fact,
      };
      rows.push(rowOfNewEvent({ ...event, createdMs: nowMs }, subscription));
    }
    await own.insertRows(EVENTS, rows);
    own.signal(WORK);
    this.#parts.queued();
  }

  /** Returns the matching subscriptions with the changes to report, in the order of the changes. */
  async #matching(causes: readonly Cause[], transaction: PluginTransaction): Promise<Match[]> {
    const tenantId = causes[0]?.fact.tenantId ?? '';
    const keys = [...new Set(causes.flatMap(keysOf))];
    const own = this.#parts.tables.in(transaction);
    const rows = await own.select(RECORDS, { tenant_id: tenantId, match_key: keys });
    if (rows.length === 0) return [];
    const byKey = grouped(own.parse(rows, subscriptionOf), ({ targetKey }) => targetKey);
    const wanted: Match[] = [];
    for (const cause of causes) {
      for (const subscription of keysOf(cause).flatMap((key) => byKey.get(key) ?? [])) {
        if (wantsType(subscription, cause.type)) wanted.push({ cause, subscription, witnesses: [] });
      }
    }
    const told = new Map<Match, readonly string[]>();
    const byOwner = grouped(wanted, ({ subscription }) => JSON.stringify([subscription.keyId, subscription.ownerUri]));
    for (const matches of byOwner.values()) await this.#judge(matches, transaction, told);
    return wanted.flatMap((match) => {
      const witnesses = told.get(match);
      return witnesses === undefined ? [] : [{ ...match, witnesses }];
    });
  }

  /** Returns the matches that the owner of these subscriptions may see. */
  async #judge(
    matches: readonly Match[],
    transaction: PluginTransaction,
    told: Map<Match, readonly string[]>,
  ): Promise<void> {
    const { access, facts } = this.#parts;
    const [first] = matches;
    const owner: Principal | undefined = first && (await access.ownerOf(first.subscription, transaction));
    // Queues an event without a valid owner as well, because its delivery ends the subscription.
    if (owner === undefined) {
      for (const match of matches) told.set(match, []);
      return;
    }
    await facts.readIn(transaction, owner, 'deliver', async (reader) => {
      const seen = new Map<Cause, readonly string[] | undefined>();
      for (const match of matches) {
        const { cause, subscription } = match;
        if (!seen.has(cause)) seen.set(cause, await this.#witnessesOf(cause, reader));
        const witnesses = mayReadTarget(subscription, reader) ? seen.get(cause) : [];
        if (witnesses !== undefined) told.set(match, witnesses);
      }
    });
  }

  /**
   * Returns the ids of the other facts that the reader must see to learn of the change. Returns undefined if the reader
   * may not learn of it.
   */
  async #witnessesOf({ fact, change }: Cause, reader: FactReader): Promise<readonly string[] | undefined> {
    if (!(await this.#parts.facts.isVisible(fact, reader))) return undefined;
    if (change === undefined) return [];
    const witnesses = await change.witnesses();
    return (await reader.visible(witnesses)).length === 2 ? witnesses : undefined;
  }
}

interface Match {
  readonly cause: Cause;
  readonly subscription: Subscription;
  readonly witnesses: readonly string[];
}

const causeOf = (fact: StoredFact): Cause => ({
  type: fact.confidence === 0 ? 'fact_retracted' : 'fact_asserted',
  fact,
});

const keysOf = ({ fact }: Cause): string[] => [
  entityTarget(fact.entityKey),
  scopeTarget(fact.scope),
  ...(fact.gardenId === null ? [] : [gardenTarget(fact.gardenId)]),
];
