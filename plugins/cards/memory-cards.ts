import { NO_LONG_VALUES, withinTime } from '../../kernel/internal-api.ts';
import {
  above,
  all,
  any,
  type Clock,
  equals,
  type FactReader,
  type Facts,
  formatInstant,
  type Hlc,
  isIn,
  type Logger,
  markOf,
  matchKey,
  type NodeSelf,
  type Notes,
  nodePrincipal,
  not,
  type Principal,
  requirePermission,
  requireReadScope,
  ServiceError,
  sha256Hex,
} from '../../kernel/plugin-api.ts';
import { isContradicted } from '../conflicts/conflicts-api.ts';
import { readNarrowing } from '../facts/facts-api.ts';
import { SOURCE_TRUST } from '../source-trust/source-trust-api.ts';
import type { Moments } from '../time-travel/time-travel-api.ts';
import { averageConfidence, type Card, createCard } from './card.ts';
import { type CardPlace, cardFact, placeOfCard, saysTheSame } from './card-fact.ts';
import { type CardStore, cardKey } from './card-store.ts';
import { nothingKnown, readCardEntity, readMoment } from './card-subject.ts';
import type { CardMaterial, CardRequest, CardSummariser, MemoryCard, MemoryCards } from './cards-api.ts';
import { aboutSubject, type CardSubject, countLive, gatherMaterial } from './gather-material.ts';
import { RunningSummaries, tooLate } from './running-summaries.ts';
import { summariseByExtract } from './summarise-by-extract.ts';

/** The longest time that a caller waits for a refresh, in milliseconds. */
export const REFRESH_LIMIT_MS = 500;

export interface CardParts {
  readonly facts: Facts;
  readonly store: CardStore;
  readonly summariser: CardSummariser;
  readonly clock: Clock;
  readonly self: NodeSelf;
  readonly log: Logger;
  /** Undefined if the node cannot read the past. */
  readonly moments: Moments | undefined;
  /** SVC_CARD_MAX_AGE_S, in milliseconds. */
  readonly maxAgeMs: number;
}

/** A card with its state at this moment. */
type CardReading = Pick<MemoryCard, 'isStale' | 'timedOut'> & { readonly card: Card };

/** The data for a new card, from one snapshot. */
interface Draft {
  readonly key: string;
  readonly tenantId: string;
  readonly subject: CardSubject;
  readonly material: CardMaterial;
  readonly liveCount: number;
  readonly upTo: Hlc;
  /** The moment of a card that is not stored, in milliseconds: a card of the past, or of selected facts. */
  readonly pastMs: number | undefined;
  /** The place for the card's fact; undefined if no place has suitable readers. */
  readonly place: CardPlace | undefined;
  /** The old card, if the reader may still see all its facts. */
  readonly stored: Card | undefined;
}

const FEED_START: Hlc = { wallMs: 0, counter: 0 };
const UNREAD = { view: 'live', order: 'feed', longValues: NO_LONG_VALUES } as const;

/** The cards of all entities. A card is made on request, and stored until one of its sources changes. */
export class StoredCards implements MemoryCards {
  readonly #parts: CardParts;
  /**
   * Running refreshes, by card and material. Simultaneous callers share one, and each gets a card with all facts that
   * the caller sees.
   */
  readonly #refreshing = new Map<string, Promise<Card>>();
  readonly #summaries: RunningSummaries;

  constructor(parts: CardParts) {
    this.#parts = parts;
    this.#summaries = new RunningSummaries(parts);
  }

  async read(caller: Principal, request: CardRequest): Promise<MemoryCard> {
    const { entity, scope = 'local', refresh = false, asOf } = request;
    const { names } = this.#parts.self;
    requirePermission(caller, 'read');
    const named = readCardEntity(entity);
    requireReadScope(caller, scope);
    const narrowed = readNarrowing(request, { caller, names, place: 'query' });
    const subject = { entityKey: matchKey(named, names), scope, narrowed };
    const reading = await (asOf === undefined
      ? this.#read(caller, subject, refresh)
      : this.#readPast(caller, subject, readMoment(asOf, this.#parts.moments)));
    if (reading === null) throw nothingKnown(named);
    const { card, isStale, timedOut } = reading;
    const { summary, factIds, averageConfidence, contradictedCount } = card;
    const refreshedAt = formatInstant(card.refreshedMs);
    const said = { summary, factIds, averageConfidence, contradictedCount, refreshedAt };
    return { entity: named, scope, ...said, isStale, timedOut };
  }

  /** Returns null if the caller sees no live fact. */
  async #read(caller: Principal, subject: CardSubject, refresh: boolean): Promise<CardReading | null> {
    const found = await this.#parts.facts.read(caller, 'query', async (reader) => {
      const fresh = refresh || subject.narrowed !== undefined ? undefined : await this.fresh(reader, subject);
      return { fresh, draft: fresh === undefined ? await this.#draft(reader, subject) : null };
    });
    if (found.fresh !== undefined) return { card: found.fresh, isStale: false, timedOut: false };
    return found.draft && this.#refresh(found.draft);
  }

  /** Returns null if the caller saw no live fact at that moment. */
  async #readPast(caller: Principal, subject: CardSubject, notes: Notes): Promise<CardReading | null> {
    const draft = await this.#parts.facts.read(caller, 'query', (reader) => this.#draft(reader, subject), notes);
    return draft && this.#refresh(draft);
  }

  /** Refreshes the card of callers without gardens, in the name of the node. */
  async refreshOutsideGardens(tenantId: string, subject: CardSubject): Promise<void> {
    const { facts, self } = this.#parts;
    const draft = await facts.read(nodePrincipal(self.names, tenantId), 'query', async (reader) => {
      const mayServe = reader.gardens !== 'all' && reader.gardens.length === 0;
      return mayServe && (await this.fresh(reader, subject)) === undefined ? this.#draft(reader, subject) : null;
    });
    if (draft !== null) await this.#begun(draft);
  }

  /** Returns the card of this reader if it is stored and fresh. Does not make one. */
  async fresh(reader: FactReader, subject: CardSubject): Promise<Card | undefined> {
    const card = await this.#parts.store.find(reader.caller.tenantId, keyFor(reader, subject), reader.snapshot);
    return card !== undefined && (await this.#holds(card, reader, subject)) ? card : undefined;
  }

  /** Returns a fresh card for a reader with an open snapshot. Makes it if there is enough time. */
  async freshWithin(
    reader: FactReader,
    subject: CardSubject,
  ): Promise<{ readonly card: Card | undefined; readonly timedOut: boolean }> {
    const draft = await this.#draft(reader, subject);
    if (draft === null) return { card: undefined, timedOut: false };
    const { card, isStale, timedOut } = await this.#refresh(draft);
    return { card: isStale ? undefined : card, timedOut };
  }

  /** Aborts running summaries, and waits until finished cards are stored. */
  async stop(): Promise<void> {
    this.#summaries.abort();
    await Promise.allSettled(this.#refreshing.values());
  }

  /**
   * Returns true if the card is fresh. No fact that the reader sees may be newer or have begun since. No fact in the
   * card may have ended or lost confidence. The card must not exceed its maximum age either.
   */
  async #holds(card: Card, reader: FactReader, subject: CardSubject): Promise<boolean> {
    const { maxAgeMs, summariser } = this.#parts;
    // A clock that was ahead may have dated the card in the future.
    const isOld = Math.abs(reader.nowMs - card.refreshedMs) > maxAgeMs;
    if (card.summariser !== summariser.id || isOld) return false;
    const begun = all(above('validFromMs', card.refreshedMs), not(above('validFromMs', reader.nowMs)));
    const added = all(aboutSubject(subject), equals('system', false), any(above('feed', card.upTo), begun));
    const visible = await reader.constraint('visible');
    if ((await reader.snapshot.outline(all(visible, added), 1)).length > 0) return false;
    if ((await countLive(reader, subject)) !== card.liveCount) return false;
    const live = await reader.find(isIn('id', card.factIds), { ...UNREAD, limit: card.factIds.length });
    if (live.length < card.factIds.length) return false;
    return averageConfidence(await reader.annotate(live)) === card.averageConfidence;
  }

  async #draft(reader: FactReader, subject: CardSubject): Promise<Draft | null> {
    const liveCount = await countLive(reader, subject);
    const material = await gatherMaterial(reader, subject, liveCount);
    if (material === null) return null;
    const { store, self } = this.#parts;
    const key = keyFor(reader, subject);
    const { tenantId } = reader.caller;
    const made = { key, tenantId, subject, material, liveCount };
    if (reader.asOf !== undefined || subject.narrowed !== undefined) {
      return { ...made, upTo: reader.asOf ?? FEED_START, pastMs: reader.nowMs, place: undefined, stored: undefined };
    }
    const stored = await store.find(tenantId, key, reader.snapshot);
    const staysReadable =
      stored !== undefined && (await reader.visible(stored.factIds)).length === stored.factIds.length;
    return {
      ...made,
      upTo: (await reader.snapshot.head()) ?? FEED_START,
      pastMs: undefined,
      place: await placeOfCard(reader, subject, self.names),
      stored: staysReadable ? stored : undefined,
    };
  }

  async #refresh(draft: Draft): Promise<CardReading> {
    const { clock, log } = this.#parts;
    let late: ServiceError | undefined;
    try {
      const begun = () => this.#begun(draft);
      const card = await withinTime(clock, REFRESH_LIMIT_MS, begun, () => (late = tooLate()));
      return { card, isStale: false, timedOut: false };
    } catch (error) {
      const timedOut = late !== undefined && error === late;
      if (!timedOut) log.warn('a memory card could not be refreshed', { error });
      return { card: draft.stored ?? (await this.#byExtract(draft)), isStale: true, timedOut };
    }
  }

  /** Returns the running refresh from the same material, or starts one. */
  #begun(draft: Draft): Promise<Card> {
    const what = draft.material.facts.map((view) => [view.fact.id, isContradicted(view), markOf(view, SOURCE_TRUST)]);
    const work = sha256Hex(JSON.stringify([draft.key, draft.pastMs, draft.liveCount, what]));
    const underWay = this.#refreshing.get(work);
    if (underWay !== undefined) return underWay;
    const making = this.#make(draft).finally(() => this.#refreshing.delete(work));
    // Callers that wait get the error. Without callers, this prevents an unhandled rejection.
    making.catch(() => undefined);
    this.#refreshing.set(work, making);
    return making;
  }

  async #make(draft: Draft): Promise<Card> {
    const { summariser } = this.#parts;
    const card = this.#card(draft, await this.#summaries.run(draft.material), summariser.id);
    return draft.pastMs === undefined ? this.#save(card, draft) : card;
  }

  /** Creates a card with the built-in summariser, for the first caller of a slow one. This card is not stored. */
  async #byExtract(draft: Draft): Promise<Card> {
    const summary = await summariseByExtract.summarise(draft.material, new AbortController().signal);
    return this.#card(draft, summary, summariseByExtract.id);
  }

  #card({ material, liveCount, upTo, pastMs }: Draft, summary: string, summariser: string): Card {
    const refreshedMs = pastMs ?? this.#parts.clock.nowMs();
    return createCard(material, { summary, liveCount, refreshedMs, upTo, summariser });
  }

  async #save(card: Card, { key, tenantId, subject, material, place }: Draft): Promise<Card> {
    const { store, self } = this.#parts;
    const row = { tenantId, key, subject };
    const draft = place && cardFact(card, material, place, self.names);
    const latest = place?.latest;
    if (draft === undefined || (latest !== undefined && saysTheSame(latest, draft))) {
      const kept = { ...card, factId: latest?.id ?? null };
      await store.write(row, kept);
      return kept;
    }
    let kept = card;
    let overtaken: ServiceError | undefined;
    const appending = this.#parts.facts.append(draft, nodePrincipal(self.names, tenantId), {
      origin: 'plugin',
      guard: async (transaction) => {
        if (!(await store.isOvertaken(transaction, tenantId, key, card))) return;
        overtaken = new ServiceError('conflict', 'a newer card is there already');
        throw overtaken;
      },
      beforeCommit: async (transaction, [verdict]) => {
        if (verdict?.kind !== 'stored') return;
        kept = { ...card, factId: verdict.view.fact.id };
        await store.writeIn(transaction, row, kept);
      },
    });
    await appending.catch(async (error: unknown) => {
      if (overtaken !== undefined && error === overtaken) return;
      // A plugin may refuse the fact, for example in a read-only garden. The card is stored nevertheless.
      if (!(error instanceof ServiceError) || error.status >= 500) throw error;
      this.#parts.log.warn('a memory card could not be stored as a fact', { error });
      await store.write(row, card);
    });
    return kept;
  }
}

const keyFor = (reader: FactReader, subject: CardSubject): string =>
  cardKey(reader.caller.tenantId, subject, reader.gardens);
