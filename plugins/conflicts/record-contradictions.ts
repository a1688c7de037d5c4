import {
  coverBy,
  namedBy,
  ownCoverKind,
  reachOf,
  type TripleKey,
  tripleId,
  ZERO_HLC,
} from '../../kernel/internal-api.ts';
import {
  type AppendedBatch,
  type AppendedFact,
  compareHlc,
  type FactDraft,
  type Hlc,
  type WritableTables,
} from '../../kernel/plugin-api.ts';
import { type ConflictRecord, membersAmong } from './conflict-record.ts';
import type { HeldRelations } from './held-relations.ts';
import type { HiddenRivals } from './hidden-rivals.ts';
import { judgePlaces, withExpiries } from './live-facts.ts';
import type { LoneFacts } from './lone-facts.ts';
import { openMissing, type UnrecordedPlace } from './open-missing.ts';
import { canExtend, factsToWeigh, type LiveOutline, type PlaceState } from './place-state.ts';
import { type Arrivals, arrivalsOf, readPlaces } from './read-places.ts';
import { type EffectiveResolution, recogniseResolutions, resolutionOf } from './recognise-resolutions.ts';
import { RecordWriter, type WriterParts } from './record-writer.ts';
import type { RepliedRivals } from './replied-rivals.ts';
import { strongestRival } from './strength.ts';
import { placeDigest, readTimelines, type TimelineChange, writeTimelines } from './timeline-rows.ts';
import { isContested, type LongestLived, lastingRival } from './winner-timeline.ts';

export interface RecorderParts extends WriterParts {
  readonly nodeId: string;
  readonly relations: HeldRelations;
  /** The facts without another live fact of their triple, including facts of this batch. */
  readonly alone: LoneFacts;
  readonly rivals: RepliedRivals;
}

type Fact = AppendedFact['fact'];

/**
 * Opens, extends and closes conflict records for the facts that a transaction has just stored, and stores the new
 * winners. Winners are stored for every relation, so that reads may judge by the rules of any moment. Returns the
 * system facts about the records. Runs under the append lock, so it sees every earlier fact of the tenant. Its cost
 * does not depend on the number of facts of a triple, or on facts in other gardens.
 */
export const recordContradictions = async (
  batch: AppendedBatch,
  tables: WritableTables,
  parts: RecorderParts,
): Promise<FactDraft[]> => {
  const settlings = await recogniseResolutions(batch, tables);
  const alone = parts.alone.idsIn(batch.transaction);
  const contenders = batch.facts.filter(
    (appended) => settlings.has(appended.fact.id) || mayMeetOthers(appended, alone),
  );
  if (contenders.length === 0) return [];
  const recorder = await BatchRecorder.read(batch, contenders, settlings, tables, parts);
  for (const appended of contenders) await recorder.take(appended);
  return recorder.finish();
};

/**
 * Returns false for the only live fact of its triple. A record that a retraction left open matters only to a
 * resolution, or once two facts contradict each other.
 */
const mayMeetOthers = (appended: AppendedFact, alone: ReadonlySet<string>): boolean => {
  const { fact } = appended;
  return !fact.system && (!alone.has(fact.id) || resolutionOf(appended) !== undefined);
};

/** The triples that one batch changes, and the changes that its facts cause. */
class BatchRecorder {
  readonly #batch: AppendedBatch;
  readonly #tables: WritableTables;
  readonly #writer: RecordWriter;
  readonly #places: ReadonlyMap<string, PlaceState>;
  readonly #settlings: ReadonlyMap<string, readonly EffectiveResolution[]>;
  readonly #arrivals: Arrivals;
  readonly #hiddenRivals: HiddenRivals;
  readonly #relations: HeldRelations;
  readonly #rivals: RepliedRivals;
  readonly #nodeId: string;

  private constructor(
    batch: AppendedBatch,
    tables: WritableTables,
    parts: RecorderParts,
    places: ReadonlyMap<string, PlaceState>,
    settlings: ReadonlyMap<string, readonly EffectiveResolution[]>,
    arrivals: Arrivals,
  ) {
    this.#batch = batch;
    this.#tables = tables;
    this.#writer = new RecordWriter(batch.transaction, tables, batch.nowMs, parts);
    this.#relations = parts.relations;
    this.#rivals = parts.rivals;
    this.#nodeId = parts.nodeId;
    this.#places = places;
    this.#settlings = settlings;
    this.#arrivals = arrivals;
    this.#hiddenRivals = parts.hiddenRivals;
  }

  /** Reads the state of the triples once for the batch. */
  static async read(
    batch: AppendedBatch,
    contenders: readonly AppendedFact[],
    settlings: ReadonlyMap<string, readonly EffectiveResolution[]>,
    tables: WritableTables,
    parts: RecorderParts,
  ): Promise<BatchRecorder> {
    const places = await readPlaces(batch, contenders, tables, parts);
    return new BatchRecorder(batch, tables, parts, places, settlings, await arrivalsOf(batch, contenders, parts));
  }

  async take(appended: AppendedFact): Promise<void> {
    const place = this.#places.get(appended.tripleId);
    if (place === undefined) return;
    const { fact } = appended;
    const { history, steps } = place;
    const settlings = this.#settlings.get(fact.id) ?? [];
    for (const settling of settlings) await this.#settle(settling, place, fact.feed);
    const isLive = fact.confidence > 0 && this.#isLive(appended, place);
    const endsOthers = ownCoverKind(fact) !== undefined;
    const isSettling = fact.replaces.length > 0 && history.isContested;
    // Ends the named facts first, because the fact does not contradict them.
    if (endsOthers) {
      history.endBefore(fact, reachOf(appended), namedBy(fact, this.#nodeId));
      place.added = undefined;
      place.outside = place.outside.filter((one) => history.live.includes(one));
    }
    if (isLive) {
      this.#contradict(fact, place);
      place.added?.push(fact);
      history.add(fact, reachOf(appended));
    }
    place.wasContested ||= history.isContested;
    if (settlings.length > 0 || endsOthers) {
      steps.ended(fact.feed, history.live);
      place.outside = [...history.live];
    } else steps.added(fact.feed, isLive ? fact : undefined);
    if (isSettling) await this.#closeSettled(fact, place);
  }

  /** Closes the open record if a fact has ended, by name, all facts that contradict the remaining ones. */
  async #closeSettled(fact: Fact, place: PlaceState): Promise<void> {
    const { history, record, isCrowded } = place;
    // The history of a crowded triple lacks live facts, which may contradict each other.
    if (record === undefined || isCrowded || history.isContested || history.live.length === 0) return;
    await this.#writer.close(record, fact, '');
    place.record = undefined;
  }

  async finish(): Promise<FactDraft[]> {
    await this.#writer.write();
    await openMissing(await this.#storeTimelines(), this.#writer, this.#batch.transaction);
    await this.#writer.write();
    await this.#writer.tell();
    this.#keepRivals();
    return this.#writer.drafts;
  }

  #keepRivals(): void {
    for (const [id, { history, record }] of this.#places) {
      if (record === undefined || !history.isContested) continue;
      this.#rivals.keep(this.#batch.transaction, id, { live: history.live, recordId: record.id });
    }
  }

  /**
   * Ends the facts older than a resolution. Closes the open record if no contradiction remains. Also closes it if the
   * resolution applies to all speakers and names two facts of the record.
   */
  async #settle(settling: EffectiveResolution, place: PlaceState, since: Hlc): Promise<void> {
    const { fact, reach, resolution } = settling;
    const { history, record } = place;
    await this.#batch.transaction.cover([coverBy(fact, { kind: 'resolution', since, speaker: reach })]);
    history.endBefore(fact, reach);
    place.added = undefined;
    const known = place.settledAt.get(reach);
    if (known === undefined || compareHlc(fact.hlc, known) > 0) place.settledAt.set(reach, fact.hlc);
    if (record === undefined) return;
    await this.#writer.write();
    const isOver = history.live.every(({ valueKey }) => valueKey === fact.valueKey);
    if (!isOver && (reach !== null || !(await this.#decides(settling, record)))) return;
    const stored = await this.#storedFact(fact);
    await this.#writer.close(record, stored, resolution?.conflictId === record.id ? resolution.note : '');
    place.record = undefined;
  }

  /** Returns true for a resolution that was made for this record, or that names two facts of it. */
  async #decides({ named, resolution }: EffectiveResolution, record: ConflictRecord): Promise<boolean> {
    if (resolution?.conflictId === record.id) return true;
    const ids = named.map(({ id }) => id);
    const members = new Set(await membersAmong(this.#tables, record, ids));
    return new Set(named.filter(({ id }) => members.has(id)).map(({ cid }) => cid)).size >= 2;
  }

  async #storedFact({ tenantId, id }: EffectiveResolution['fact']): Promise<Fact> {
    const { facts, transaction } = this.#batch;
    const fact = facts.find((appended) => appended.fact.id === id)?.fact ?? (await transaction.get(tenantId, id));
    if (fact === undefined) throw new Error('a fact that settles its triple is not in the store');
    return fact;
  }

  /**
   * Adds a fact that contradicts a live one to the open record, or opens a record, together with the facts that it
   * contradicts.
   */
  #contradict(fact: Fact, place: PlaceState): void {
    const { history, record } = place;
    const rival: LiveOutline | LongestLived | undefined = this.#holdsMany(fact)
      ? undefined
      : (strongestRival(fact, history.live) ?? this.#rivalBeyond(fact, place));
    if (rival === undefined) return void place.outside.push(fact);
    if (record === undefined) place.record = this.#writer.open(fact, fact, rival, [...history.live, fact]);
    else this.#writer.join(record, fact, rival, [...place.outside, fact]);
    place.outside = [];
  }

  #holdsMany({ tenantId, relationKey }: TripleKey): boolean {
    return this.#relations.at(tenantId).holdsMany(relationKey);
  }

  /** Returns a contradicting fact of a triple that has too many live facts to read them all. */
  #rivalBeyond({ valueKey }: Fact, { stored, added }: PlaceState): LongestLived | undefined {
    if (stored === undefined || added === undefined || !isContested(stored, this.#batch.nowMs)) return undefined;
    return lastingRival(stored, valueKey);
  }

  /** Stores the winners of each triple that has or had a contradiction. Returns those without an open record. */
  async #storeTimelines(): Promise<UnrecordedPlace[]> {
    const { transaction, nowMs } = this.#batch;
    const touched = [...this.#places.values()].filter(({ wasContested }) => wasContested);
    const [first] = touched;
    if (first === undefined) return [];
    const digests = touched.map(({ triple }) => placeDigest(triple));
    const rows = await readTimelines(this.#tables, first.triple.tenantId, digests);
    const changes: TimelineChange[] = [];
    const anew: PlaceState[] = [];
    const mortal = new Map(
      (await withExpiries(transaction, touched.flatMap(factsToWeigh))).map((fact) => [fact.id, fact]),
    );
    for (const place of touched) {
      const { triple, stored, steps, added, isCrowded } = place;
      const before = rows.get(placeDigest(triple));
      if (!isCrowded) changes.push({ triple, before, after: await steps.timelines(mortal, nowMs) });
      else if (stored !== undefined && added !== undefined && canExtend(stored, place, mortal, nowMs)) {
        changes.push({ triple, before, after: await steps.timelines(mortal, nowMs, stored) });
      } else anew.push(place);
    }
    const judged = await judgePlaces(
      transaction,
      anew.map(({ triple }) => triple),
      nowMs,
      this.#hiddenRivals,
    );
    for (const [at, { triple, timeline }] of judged.entries()) {
      // If a triple has very many facts, the states between the facts of one transaction are not computed.
      const since = anew[at]?.steps.since ?? ZERO_HLC;
      changes.push({ triple, before: rows.get(placeDigest(triple)), after: [{ ...timeline, since }] });
    }
    await writeTimelines(this.#tables, changes, nowMs);
    const facts = new Map(judged.map((place) => [place.triple, place.facts]));
    return changes.flatMap(({ triple, after }) => {
      const place = this.#places.get(tripleId(triple));
      if (place === undefined || place.record !== undefined || this.#holdsMany(triple)) return [];
      if (!isContested(after.at(-1), nowMs)) return [];
      return [{ triple, facts: facts.get(triple) ?? place.history.live }];
    });
  }

  /**
   * Returns true if a fact is live after it is stored. A local fact is the newest of its triple, but a later fact may
   * have superseded a replicated one.
   */
  #isLive({ fact, origin }: AppendedFact, { history, settledAt }: PlaceState): boolean {
    const isSettled = [null, fact.speaker].some((speaker) => {
      const stamp = settledAt.get(speaker);
      return stamp !== undefined && compareHlc(fact.hlc, stamp) < 0;
    });
    const { arrivedLive, hidden } = this.#arrivals;
    if (isSettled || hidden.has(fact.id)) return false;
    return history.startsLive(fact) && (origin !== 'peer' || arrivedLive.has(fact.id));
  }
}
