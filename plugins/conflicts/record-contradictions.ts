import {
  type AppendedBatch,
  type AppendedFact,
  all,
  compareHlc,
  coverBy,
  equals,
  type FactDraft,
  type FactOutline,
  type Hlc,
  isIn,
  liveAmong,
  SIBLING_LIMIT,
  tripleId,
  type WritableTables,
  ZERO_HLC,
} from '../../kernel/plugin-api.ts';
import type { AloneInTransaction } from './alone-in-transaction.ts';
import { type ConflictRecord, membersAmong, openRecords } from './conflict-record.ts';
import { judgePlaces, withExpiries } from './live-facts.ts';
import { openMissing, type Unrecorded } from './open-missing.ts';
import { recogniseResolutions, resolutionOf, type Settling } from './recognise-resolutions.ts';
import { RecordWriter, type WriterParts } from './record-writer.ts';
import { contestedUntil, type Lasting, lastingRival, type Standing } from './standing.ts';
import { type Change, placeDigest, readStandings, type StoredStanding, writeStandings } from './standing-rows.ts';
import { StandingSteps } from './standing-steps.ts';
import { strongestRival } from './strength.ts';
import { TripleHistory } from './triple-history.ts';

export interface RecorderParts extends WriterParts {
  /** Has noted the batch already. */
  readonly alone: AloneInTransaction;
}

type Fact = AppendedFact['fact'];
type Judged = Pick<FactOutline, 'tenantId' | 'id' | 'valueKey' | 'confidence' | 'validUntilMs' | 'system' | 'hlc'>;

/**
 * Opens, extends and closes conflict records for the facts a transaction has just stored, notes who reigns from now on,
 * and returns the facts that say so. Runs under the append lock, so every earlier fact of the tenant has been seen.
 * What it reads does not depend on how many facts share a triple, nor on what is said of it in other places.
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
  const wave = await Wave.read(batch, contenders, settlings, tables, parts);
  for (const appended of contenders) await wave.take(appended);
  return wave.finish();
};

/**
 * A record left open by a retraction matters only to what resolves it, and as soon as two facts meet; so a lone fact on
 * a triple that holds nothing live is passed over.
 */
const mayMeetOthers = (appended: AppendedFact, alone: ReadonlySet<string>): boolean => {
  const { fact } = appended;
  return !fact.system && (!alone.has(fact.id) || resolutionOf(appended) !== undefined);
};

/** One triple in one place while a batch adds to it. */
interface Place {
  readonly triple: Fact;
  readonly history: TripleHistory<Judged>;
  /** More facts are live than the history was given. */
  readonly isCrowded: boolean;
  /** What is stored about who reigns; read where it may matter. */
  readonly stored: StoredStanding | undefined;
  record: ConflictRecord | undefined;
  wasContested: boolean;
  /** Facts that the batch has added, while it has ended none. */
  added: Judged[] | undefined;
  /** The highest stamp of what has settled the place in this batch. */
  settledAt: Hlc | undefined;
  /** How the batch changes what is live. */
  readonly steps: StandingSteps<Judged>;
}

/** The places that one batch touches, and what its facts call for. */
class Wave {
  readonly #batch: AppendedBatch;
  readonly #tables: WritableTables;
  readonly #writer: RecordWriter;
  readonly #places: ReadonlyMap<string, Place>;
  readonly #settlings: ReadonlyMap<string, readonly Settling[]>;
  /** Ids of the replicated facts that are live on arrival. */
  readonly #arrivedLive: ReadonlySet<string>;

  private constructor(
    batch: AppendedBatch,
    tables: WritableTables,
    parts: RecorderParts,
    places: ReadonlyMap<string, Place>,
    settlings: ReadonlyMap<string, readonly Settling[]>,
    arrivedLive: ReadonlySet<string>,
  ) {
    this.#batch = batch;
    this.#tables = tables;
    this.#writer = new RecordWriter(batch.transaction, tables, batch.nowMs, parts);
    this.#places = places;
    this.#settlings = settlings;
    this.#arrivedLive = arrivedLive;
  }

  /** Reads what is known of the places, once for the batch. */
  static async read(
    batch: AppendedBatch,
    contenders: readonly AppendedFact[],
    settlings: ReadonlyMap<string, readonly Settling[]>,
    tables: WritableTables,
    parts: RecorderParts,
  ): Promise<Wave> {
    const byTriple = new Map(contenders.map((appended) => [appended.tripleId, appended]));
    const records = await openRecords(
      tables,
      contenders.map(({ fact }) => fact),
    );
    const crowded = [...byTriple.values()].filter((appended) => isCrowded(batch, appended));
    const standings = await readStandings(
      tables,
      crowded.map(({ fact }) => placeDigest(fact)),
    );
    const places = new Map<string, Place>();
    for (const [id, appended] of byTriple) {
      const history = new TripleHistory<Judged>(batch.siblings(appended), batch.nowMs);
      const stored = standings.get(placeDigest(appended.fact));
      places.set(id, {
        triple: appended.fact,
        history,
        isCrowded: isCrowded(batch, appended),
        stored,
        record: records.get(id),
        wasContested: history.isContested || isContested(stored, batch.nowMs),
        added: [],
        settledAt: undefined,
        steps: new StandingSteps(history.live),
      });
    }
    return new Wave(batch, tables, parts, places, settlings, await liveArrivals(batch, contenders));
  }

  async take(appended: AppendedFact): Promise<void> {
    const place = this.#places.get(appended.tripleId);
    if (place === undefined) return;
    const { fact } = appended;
    const { history, steps } = place;
    const settlings = this.#settlings.get(fact.id) ?? [];
    for (const settling of settlings) await this.#settle(settling, place, fact.feed);
    const isLive = fact.confidence > 0 && this.#isLive(appended, place);
    if (isLive) {
      this.#contradict(fact, place);
      place.added?.push(fact);
    } else if (fact.confidence === 0) place.added = undefined;
    if (isLive || fact.confidence === 0) history.add(fact);
    place.wasContested ||= history.isContested;
    if (settlings.length > 0 || fact.confidence === 0) steps.ended(fact.feed, history.live);
    else steps.added(fact.feed, isLive ? fact : undefined);
  }

  async finish(): Promise<FactDraft[]> {
    await this.#writer.write();
    await openMissing(await this.#settleReigns(), this.#writer, this.#batch.transaction);
    await this.#writer.write();
    await this.#writer.tell();
    return this.#writer.drafts;
  }

  /**
   * Everything older than a resolution is superseded by it. The open record closes when nothing is left to contradict,
   * and when the resolution names two of its members.
   */
  async #settle(settling: Settling, place: Place, since: Hlc): Promise<void> {
    const { fact, resolution } = settling;
    const { history, record } = place;
    await this.#batch.transaction.cover([coverBy(fact, 'resolution', since)]);
    history.endBefore(fact);
    place.added = undefined;
    if (place.settledAt === undefined || compareHlc(fact.hlc, place.settledAt) > 0) place.settledAt = fact.hlc;
    if (record === undefined) return;
    await this.#writer.write();
    const isOver = history.live.every(({ valueKey }) => valueKey === fact.valueKey);
    if (!isOver && resolution?.conflictId !== record.id && !(await this.#namesTwoMembers(settling, record))) return;
    const stored = await this.#storedFact(fact);
    await this.#writer.close(record, stored, resolution?.conflictId === record.id ? resolution.note : '');
    place.record = undefined;
  }

  async #namesTwoMembers({ named }: Settling, record: ConflictRecord): Promise<boolean> {
    const ids = named.map(({ id }) => id);
    const members = new Set(await membersAmong(this.#tables, record, ids));
    return new Set(named.filter(({ id }) => members.has(id)).map(({ cid }) => cid)).size >= 2;
  }

  async #storedFact({ tenantId, id }: Settling['fact']): Promise<Fact> {
    const { facts, transaction } = this.#batch;
    const fact = facts.find((appended) => appended.fact.id === id)?.fact ?? (await transaction.get(tenantId, id));
    if (fact === undefined) throw new Error('a fact that settles its triple is not in the store');
    return fact;
  }

  /**
   * A fact that differs from a live one opens a record, or joins the open one; the facts it differs from are members
   * with it.
   */
  #contradict(fact: Fact, place: Place): void {
    const { history, record } = place;
    const rival: Judged | Lasting | undefined = strongestRival(fact, history.live) ?? this.#rivalBeyond(fact, place);
    if (rival === undefined) return;
    if (record === undefined) place.record = this.#writer.open(fact, fact, rival, [...history.live, fact]);
    else this.#writer.join(record, fact, rival, [...history.live, fact]);
  }

  /** Among the facts that are too many to be read. */
  #rivalBeyond({ valueKey }: Fact, { stored, added }: Place): Lasting | undefined {
    if (stored === undefined || added === undefined || !isContested(stored, this.#batch.nowMs)) return undefined;
    return lastingRival(stored, valueKey);
  }

  /** Notes who reigns in each place that is, or was, contested. Returns those that lack an open record. */
  async #settleReigns(): Promise<Unrecorded[]> {
    const { transaction, nowMs } = this.#batch;
    const touched = [...this.#places.values()].filter(({ wasContested }) => wasContested);
    if (touched.length === 0) return [];
    const rows = await readStandings(
      this.#tables,
      touched.map(({ triple }) => placeDigest(triple)),
    );
    const changes: Change[] = [];
    const anew: Place[] = [];
    const mortal = new Map(
      (await withExpiries(transaction, touched.flatMap(factsToWeigh))).map((fact) => [fact.id, fact]),
    );
    for (const place of touched) {
      const { triple, stored, steps, added, isCrowded } = place;
      const before = rows.get(placeDigest(triple));
      if (!isCrowded) changes.push({ triple, before, after: steps.standings(mortal, nowMs) });
      else if (stored !== undefined && added !== undefined && isContested(stored, nowMs)) {
        changes.push({ triple, before, after: steps.standings(mortal, nowMs, stored) });
      } else anew.push(place);
    }
    const judged = await judgePlaces(
      transaction,
      anew.map(({ triple }) => triple),
      nowMs,
    );
    for (const [at, { triple, standing }] of judged.entries()) {
      // What such a place came to between the facts of one transaction is not worked out.
      const since = anew[at]?.steps.since ?? ZERO_HLC;
      changes.push({ triple, before: rows.get(placeDigest(triple)), after: [{ ...standing, since }] });
    }
    await writeStandings(this.#tables, changes, nowMs);
    const facts = new Map(judged.map((place) => [place.triple, place.facts]));
    return changes.flatMap(({ triple, after }) => {
      const place = this.#places.get(tripleId(triple));
      if (place === undefined || place.record !== undefined || !isContested(after.at(-1), nowMs)) return [];
      return [{ triple, facts: facts.get(triple) ?? place.history.live }];
    });
  }

  /** A fact asserted here is the newest of its triple; one that was replicated may be covered on arrival. */
  #isLive({ fact, origin }: AppendedFact, { history, settledAt }: Place): boolean {
    const isSettled = settledAt !== undefined && compareHlc(fact.hlc, settledAt) < 0;
    return !isSettled && history.startsLive(fact) && (origin !== 'peer' || this.#arrivedLive.has(fact.id));
  }
}

const isCrowded = (batch: AppendedBatch, appended: AppendedFact): boolean =>
  batch.siblings(appended).length >= SIBLING_LIMIT;

const isContested = (standing: Standing | undefined, nowMs: number): boolean =>
  standing !== undefined && contestedUntil(standing) > nowMs && standing.knownUntilMs > nowMs;

/** Facts whose end of life decides who reigns. */
const factsToWeigh = ({ isCrowded, steps, added }: Place): readonly Judged[] =>
  isCrowded ? (added ?? []) : steps.facts;

const liveArrivals = async (
  { transaction, nowMs }: AppendedBatch,
  contenders: readonly AppendedFact[],
): Promise<ReadonlySet<string>> => {
  const ids = contenders.flatMap(({ fact, origin }) => (origin === 'peer' ? [fact.id] : []));
  if (ids.length === 0) return new Set();
  const ofTenant = equals('tenantId', contenders[0]?.fact.tenantId ?? '');
  const live = await transaction.outline(liveAmong(all(ofTenant, isIn('id', ids)), { nowMs }));
  return new Set(live.map(({ id }) => id));
};
