import {
  type AppendedBatch,
  type AppendedFact,
  coverBy,
  type FactDraft,
  type FactOutline,
  type HookCaller,
  noteOf,
  type Random,
  type ServiceNames,
  SIBLING_LIMIT,
  tripleId,
  type WritableTables,
} from '../../kernel/plugin-api.ts';
import type { AloneInTransaction } from './alone-in-transaction.ts';
import { joinedFacts, openedFacts, resolvedFacts } from './conflict-facts.ts';
import {
  type ConflictRecord,
  closeRecord,
  concerns,
  insertMembers,
  insertRecords,
  MEMBERS,
  type Membership,
  membersOf,
  openRecords,
} from './conflict-record.ts';
import { Resolution } from './conflicts-api.ts';
import { strongestRival } from './judge-triple.ts';
import { RecordChanges } from './record-changes.ts';
import { TripleHistory } from './triple-history.ts';

export interface RecorderParts {
  /** Has noted the batch already. */
  readonly alone: AloneInTransaction;
  readonly names: ServiceNames;
  readonly random: Random;
  readonly hooks: HookCaller;
}

type Judged = Pick<
  FactOutline,
  'id' | 'cid' | 'valueKey' | 'confidence' | 'validUntilMs' | 'gardenId' | 'system' | 'hlc'
>;

/**
 * Opens, extends and closes conflict records for the facts a transaction has just stored, and returns the facts that say so
 * (wire contract 5). Runs under the append lock, so every earlier fact of the tenant has been seen.
 */
export async function recordContradictions(
  batch: AppendedBatch,
  tables: WritableTables,
  parts: RecorderParts,
): Promise<FactDraft[]> {
  const contenders = batch.facts.filter((appended) => mayMeetOthers(appended, batch, parts.alone));
  if (contenders.length === 0) return [];
  const wave = await Wave.read(batch, contenders, tables, parts);
  for (const appended of contenders) await wave.take(appended);
  await wave.write();
  await wave.changes.tell(parts.hooks);
  return wave.drafts;
}

/**
 * A record left open by a retraction matters only to what resolves it, and as soon as two facts meet; so a lone fact on a triple that holds
 * nothing live is passed over.
 */
const mayMeetOthers = (
  { fact, origin, notes }: AppendedFact,
  { transaction }: AppendedBatch,
  alone: AloneInTransaction,
): boolean =>
  !fact.system && (!alone.has(transaction, fact) || origin === 'peer' || noteOf(notes, Resolution) !== undefined);

/** The triples that one batch touches, and the rows that its facts call for. */
class Wave {
  readonly drafts: FactDraft[] = [];
  readonly changes: RecordChanges;
  readonly #batch: AppendedBatch;
  readonly #tables: WritableTables;
  readonly #parts: RecorderParts;
  readonly #histories = new Map<string, TripleHistory<Judged>>();
  readonly #open: Map<string, ConflictRecord[]>;
  readonly #newRecords: ConflictRecord[] = [];
  readonly #candidates: Membership[] = [];
  /** Ids of the records that this batch opens, while nothing of them is written. */
  readonly #opened = new Set<string>();

  constructor(batch: AppendedBatch, tables: WritableTables, parts: RecorderParts, open: Map<string, ConflictRecord[]>) {
    this.#batch = batch;
    this.#tables = tables;
    this.#parts = parts;
    this.#open = open;
    this.changes = new RecordChanges(batch.transaction, tables);
  }

  /** Reads the open records once for the batch. */
  static async read(
    batch: AppendedBatch,
    contenders: readonly AppendedFact[],
    tables: WritableTables,
    parts: RecorderParts,
  ): Promise<Wave> {
    const triples = contenders.map(({ fact }) => fact);
    const wave = new Wave(batch, tables, parts, await openRecords(tables, triples));
    for (const appended of contenders) {
      const { tripleId } = appended;
      if (wave.#histories.has(tripleId)) continue;
      wave.#histories.set(tripleId, new TripleHistory<Judged>(batch.siblings(appended), batch.nowMs));
    }
    return wave;
  }

  async take(appended: AppendedFact): Promise<void> {
    const { fact, tripleId } = appended;
    const history = this.#histories.get(tripleId);
    if (history === undefined) return;
    const open = this.#open.get(tripleId) ?? [];
    const resolution = noteOf(appended.notes, Resolution);
    if (open.length > 0 && (resolution !== undefined || (await this.#resolvesFromAfar(appended, open)))) {
      await this.#close(open, fact, resolution);
      history.endBefore(fact);
    } else if (await this.#isLive(appended, history)) {
      await this.#contradict(fact, history);
    }
    history.add(fact);
  }

  async write(): Promise<void> {
    await insertRecords(this.#tables, this.#newRecords.splice(0));
    const candidates = this.#candidates.splice(0);
    if (candidates.length > 0) await insertMembers(this.#tables, await this.#newMembers(candidates));
    this.#opened.clear();
  }

  /** A fact may have been named more than once, or be a member already of a record that was written before. */
  async #newMembers(candidates: readonly Membership[]): Promise<Membership[]> {
    const wanted = new Map(candidates.map((member) => [`${member.conflictId} ${member.factId}`, member]));
    const joined = candidates.filter(({ conflictId }) => !this.#opened.has(conflictId));
    if (joined.length === 0) return [...wanted.values()];
    const known = await this.#tables.select(MEMBERS, {
      conflict_id: [...new Set(joined.map(({ conflictId }) => conflictId))],
      fact_id: [...new Set(joined.map(({ factId }) => factId))],
    });
    for (const row of known) wanted.delete(`${row['conflict_id']} ${row['fact_id']}`);
    return [...wanted.values()];
  }

  /**
   * A fact that differs from a live one opens a record, or joins the open one; the facts it differs from are members with it. Facts of different
   * gardens meet in records of their own, known to who reads these gardens.
   */
  async #contradict(fact: AppendedFact['fact'], history: TripleHistory<Judged>): Promise<void> {
    const open = this.#open.get(tripleId(fact)) ?? [];
    let live = history.live;
    if (live.length >= SIBLING_LIMIT && needsAll(fact, live, open)) live = await this.#allLive(fact, history);
    for (const gardens of sidesOf(fact, live, open)) {
      const met = live.filter((other) => concerns(gardens, other));
      const rival = strongestRival(fact, met);
      if (rival === undefined) continue;
      const known = open.find((record) => isSame(record.gardens, gardens));
      const record = known ?? this.#openRecord(fact, gardens);
      for (const { id } of [...met, fact]) this.#candidates.push({ conflictId: record.id, factId: id });
      this.changes.opened(record, fact, known === undefined);
      const { names } = this.#parts;
      this.drafts.push(
        ...(known === undefined ? openedFacts(record, fact, rival, names) : [joinedFacts(record, fact, rival, names)]),
      );
    }
  }

  /** The history starts from the strongest facts only; where more are live, this reads them all. */
  async #allLive(fact: AppendedFact['fact'], history: TripleHistory<Judged>): Promise<readonly Judged[]> {
    const [stored = []] = await this.#batch.transaction.siblings([fact], this.#batch.nowMs, EVERY_SIBLING);
    const added = new Set(this.#batch.facts.map((appended) => appended.fact.id));
    const known = new Set(history.live.map(({ id }) => id));
    // What this batch adds to the triple is taken from the history, which knows how far the batch has come.
    return [...history.live, ...stored.filter(({ id }) => !known.has(id) && !added.has(id))];
  }

  #openRecord(fact: AppendedFact['fact'], gardens: readonly string[]): ConflictRecord {
    const { tenantId, entityKey, relationKey, scope } = fact;
    const record: ConflictRecord = {
      id: this.#parts.random.uuid(),
      tenantId,
      entityKey,
      relationKey,
      scope,
      gardens,
      status: 'unresolved',
      detectedMs: this.#batch.nowMs,
      resolvedBy: null,
    };
    this.#open.set(tripleId(fact), [...(this.#open.get(tripleId(fact)) ?? []), record]);
    this.#newRecords.push(record);
    this.#opened.add(record.id);
    return record;
  }

  /** A resolution outside gardens ends what is older for everybody, one in a garden for who reads that garden. */
  async #close(
    open: readonly ConflictRecord[],
    fact: AppendedFact['fact'],
    named: Resolution | undefined,
  ): Promise<void> {
    const { gardenId } = fact;
    const isOver = ({ gardens }: ConflictRecord): boolean => gardenId === null || gardens.includes(gardenId);
    await this.write();
    await this.#batch.transaction.cover([coverBy(fact, 'resolution')]);
    for (const record of open.filter(isOver)) {
      await closeRecord(this.#tables, record.id, fact.id, gardenId === null);
      this.changes.resolved(record, fact);
      const note = record.id === named?.conflictId ? named.note : '';
      this.drafts.push(...resolvedFacts(record, fact, note, this.#parts.names));
    }
    this.#open.set(
      tripleId(fact),
      open.filter((record) => !isOver(record)),
    );
  }

  /** A resolution made on another node closes the local records when it names at least two members of one (reliability D6). */
  async #resolvesFromAfar({ fact, origin }: AppendedFact, open: readonly ConflictRecord[]): Promise<boolean> {
    if (origin !== 'peer' || fact.derivedFrom.length < 2) return false;
    const named = new Set(fact.derivedFrom);
    for (const ids of (
      await membersOf(
        this.#tables,
        open.map(({ id }) => id),
      )
    ).values()) {
      const members = await this.#batch.transaction.outline({ kind: 'in', field: 'id', values: ids });
      if (new Set(members.filter(({ cid }) => named.has(cid)).map(({ cid }) => cid)).size >= 2) return true;
    }
    return false;
  }

  /** A fact asserted here is the newest of its triple; one that was replicated may be covered on arrival. */
  async #isLive({ fact, origin }: AppendedFact, history: TripleHistory<Judged>): Promise<boolean> {
    if (!history.startsLive(fact)) return false;
    if (origin !== 'peer') return true;
    const [live = []] = await this.#batch.transaction.siblings([fact], this.#batch.nowMs, PEER_SIBLINGS);
    return live.length === PEER_SIBLINGS || live.some(({ id }) => id === fact.id);
  }
}

/** Gardens of each record that the fact may belong to: those between it and each rival, and those of records that it comes to. */
const sidesOf = (fact: Judged, live: readonly Judged[], open: readonly ConflictRecord[]): (readonly string[])[] => {
  const sides = new Map<string, readonly string[]>();
  for (const other of live) {
    if (other.valueKey === fact.valueKey) continue;
    const between = [...new Set([fact.gardenId, other.gardenId])].filter((id) => id !== null).sort();
    sides.set(between.join(' '), between);
  }
  for (const { gardens } of open) if (concerns(gardens, fact)) sides.set(gardens.join(' '), gardens);
  return [...sides.values()];
};

const isSame = (some: readonly string[], others: readonly string[]): boolean => some.join(' ') === others.join(' ');

/** The strongest facts tell all there is to tell while everybody sees the same facts and one of them is a rival of a fact that joins. */
const needsAll = (fact: Judged, live: readonly Judged[], open: readonly ConflictRecord[]): boolean =>
  open.length === 0 ||
  strongestRival(fact, live) === undefined ||
  [fact, ...live].some(({ gardenId }) => gardenId !== null);

/** Read once per contradiction of a triple that so many facts share. */
const EVERY_SIBLING = 1_000_000;

/** Enough to find a fact among its live siblings; a triple with more is contested anyhow. */
const PEER_SIBLINGS = 1000;
