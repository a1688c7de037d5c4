import {
  type AppendedBatch,
  type AppendedFact,
  all,
  coverBy,
  equals,
  type FactDraft,
  type FactOutline,
  isIn,
  liveAmong,
  noteOf,
  SIBLING_LIMIT,
  type WritableTables,
} from '../../kernel/plugin-api.ts';
import type { AloneInTransaction } from './alone-in-transaction.ts';
import { type ConflictRecord, membersAmong, openRecords } from './conflict-record.ts';
import { Resolution } from './conflicts-api.ts';
import { judgePlaces, withExpiries } from './live-facts.ts';
import { RecordWriter, type WriterParts } from './record-writer.ts';
import { contestedUntil, type Lasting, lastingRival, type Standing, standingOf, withFact } from './standing.ts';
import { type Change, placeDigest, readStandings, writeStandings } from './standing-rows.ts';
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
  const contenders = batch.facts.filter((appended) => mayMeetOthers(appended, batch, parts.alone));
  if (contenders.length === 0) return [];
  const wave = await Wave.read(batch, contenders, tables, parts);
  for (const appended of contenders) await wave.take(appended);
  return wave.finish();
};

/**
 * A record left open by a retraction matters only to what resolves it, and as soon as two facts meet; so a lone fact on
 * a triple that holds nothing live is passed over.
 */
const mayMeetOthers = (
  { fact, origin, notes }: AppendedFact,
  { transaction }: AppendedBatch,
  alone: AloneInTransaction,
): boolean =>
  !fact.system && (!alone.has(transaction, fact) || origin === 'peer' || noteOf(notes, Resolution) !== undefined);

/** One triple in one place while a batch adds to it. */
interface Place {
  readonly triple: Fact;
  readonly history: TripleHistory<Judged>;
  /** More facts are live than the history was given. */
  readonly isCrowded: boolean;
  /** What is stored about who reigns; read where it may matter. */
  readonly stored: Standing | undefined;
  record: ConflictRecord | undefined;
  wasContested: boolean;
  /** Facts that the batch has added, while it has ended none. */
  added: Judged[] | undefined;
}

/** The places that one batch touches, and what its facts call for. */
class Wave {
  readonly #batch: AppendedBatch;
  readonly #tables: WritableTables;
  readonly #writer: RecordWriter;
  readonly #places: ReadonlyMap<string, Place>;
  /** Ids of the replicated facts that are live on arrival. */
  readonly #arrivedLive: ReadonlySet<string>;

  private constructor(
    batch: AppendedBatch,
    tables: WritableTables,
    parts: RecorderParts,
    places: ReadonlyMap<string, Place>,
    arrivedLive: ReadonlySet<string>,
  ) {
    this.#batch = batch;
    this.#tables = tables;
    this.#writer = new RecordWriter(batch.transaction, tables, batch.nowMs, parts);
    this.#places = places;
    this.#arrivedLive = arrivedLive;
  }

  /** Reads what is known of the places, once for the batch. */
  static async read(
    batch: AppendedBatch,
    contenders: readonly AppendedFact[],
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
      });
    }
    return new Wave(batch, tables, parts, places, await liveArrivals(batch, contenders));
  }

  async take(appended: AppendedFact): Promise<void> {
    const place = this.#places.get(appended.tripleId);
    if (place === undefined) return;
    const { fact, notes } = appended;
    const { history, record } = place;
    const resolution = noteOf(notes, Resolution);
    if (record !== undefined && (resolution !== undefined || (await this.#resolvesFromAfar(appended, record)))) {
      await this.#writer.write();
      await this.#batch.transaction.cover([coverBy(fact, 'resolution')]);
      await this.#writer.close(record, fact, resolution?.conflictId === record.id ? resolution.note : '');
      place.record = undefined;
      place.added = undefined;
      history.endBefore(fact);
    }
    if (fact.confidence === 0) place.added = undefined;
    else if (!this.#isLive(appended, history)) return;
    else {
      this.#contradict(fact, place);
      place.added?.push(fact);
    }
    history.add(fact);
    place.wasContested ||= history.isContested;
  }

  async finish(): Promise<FactDraft[]> {
    await this.#writer.write();
    await this.#settleReigns();
    await this.#writer.tell();
    return this.#writer.drafts;
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

  /** Notes who reigns in each place that is, or was, contested. */
  async #settleReigns(): Promise<void> {
    const { transaction, nowMs } = this.#batch;
    const touched = [...this.#places.values()].filter(({ wasContested }) => wasContested);
    if (touched.length === 0) return;
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
      const { triple, stored, history, added, isCrowded } = place;
      const before = rows.get(placeDigest(triple));
      const live = (facts: readonly Judged[]) => facts.flatMap(({ id }) => mortal.get(id) ?? []);
      if (!isCrowded) changes.push({ triple, before, after: standingOf(live(history.live), nowMs) });
      else if (stored !== undefined && added !== undefined && isContested(stored, nowMs)) {
        const after = live(added).reduce((standing, fact) => withFact(standing, fact, nowMs), stored);
        changes.push({ triple, before, after });
      } else anew.push(place);
    }
    const judged = await judgePlaces(
      transaction,
      anew.map(({ triple }) => triple),
      nowMs,
    );
    for (const { triple, standing } of judged) {
      changes.push({ triple, before: rows.get(placeDigest(triple)), after: standing });
    }
    await writeStandings(this.#tables, changes, nowMs);
  }

  /** A resolution made on another node closes the local record when it names at least two members of it. */
  async #resolvesFromAfar({ fact, origin }: AppendedFact, record: ConflictRecord): Promise<boolean> {
    if (origin !== 'peer' || fact.derivedFrom.length < 2) return false;
    await this.#writer.write();
    const named = await this.#batch.transaction.outline(
      all(
        equals('tenantId', fact.tenantId),
        isIn('cid', fact.derivedFrom),
        equals('entityKey', fact.entityKey),
        equals('place', fact.gardenId ?? ''),
      ),
    );
    const members = new Set(
      await membersAmong(
        this.#tables,
        record,
        named.map(({ id }) => id),
      ),
    );
    return new Set(named.filter(({ id }) => members.has(id)).map(({ cid }) => cid)).size >= 2;
  }

  /** A fact asserted here is the newest of its triple; one that was replicated may be covered on arrival. */
  #isLive({ fact, origin }: AppendedFact, history: TripleHistory<Judged>): boolean {
    return history.startsLive(fact) && (origin !== 'peer' || this.#arrivedLive.has(fact.id));
  }
}

const isCrowded = (batch: AppendedBatch, appended: AppendedFact): boolean =>
  batch.siblings(appended).length >= SIBLING_LIMIT;

const isContested = (standing: Standing | undefined, nowMs: number): boolean =>
  standing !== undefined && contestedUntil(standing) > nowMs && standing.knownUntilMs > nowMs;

/** Facts whose end of life decides who reigns. */
const factsToWeigh = ({ isCrowded, history, added }: Place): readonly Judged[] =>
  isCrowded ? (added ?? []) : history.live;

const liveArrivals = async (
  { transaction, nowMs }: AppendedBatch,
  contenders: readonly AppendedFact[],
): Promise<ReadonlySet<string>> => {
  const ids = contenders.flatMap(({ fact, origin }) => (origin === 'peer' ? [fact.id] : []));
  if (ids.length === 0) return new Set();
  const ofTenant = equals('tenantId', contenders[0]?.fact.tenantId ?? '');
  const live = await transaction.outline(liveAmong(all(ofTenant, isIn('id', ids)), nowMs));
  return new Set(live.map(({ id }) => id));
};
