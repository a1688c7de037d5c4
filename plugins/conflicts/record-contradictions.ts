import {
  type AppendedBatch,
  type AppendedFact,
  coverBy,
  type FactDraft,
  type FactOutline,
  noteOf,
  type Random,
  type ServiceNames,
  SIBLING_LIMIT,
  type TripleKey,
  tripleId,
  type WritableTables,
} from '../../kernel/plugin-api.ts';
import { joinedFacts, openedFacts, resolvedFacts } from './conflict-facts.ts';
import {
  type ConflictRecord,
  closeRecord,
  insertMembers,
  insertRecords,
  MEMBERS,
  type Membership,
  membersOf,
  openRecords,
} from './conflict-record.ts';
import { Resolution } from './conflicts-api.ts';
import { strongestRival } from './judge-triple.ts';
import { TripleHistory } from './triple-history.ts';

export interface RecorderParts {
  readonly names: ServiceNames;
  readonly random: Random;
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
  const contenders = batch.facts.filter(({ fact }) => !fact.system);
  if (contenders.length === 0) return [];
  const wave = await Wave.read(batch, contenders, tables, parts);
  for (const appended of contenders) await wave.take(appended);
  await wave.write();
  return wave.drafts;
}

/** The triples that one batch touches, and the rows that its facts call for. */
class Wave {
  readonly drafts: FactDraft[] = [];
  readonly #batch: AppendedBatch;
  readonly #tables: WritableTables;
  readonly #parts: RecorderParts;
  readonly #histories = new Map<string, TripleHistory<Judged>>();
  readonly #open: Map<string, ConflictRecord>;
  readonly #newRecords: ConflictRecord[] = [];
  readonly #candidates: Membership[] = [];

  constructor(batch: AppendedBatch, tables: WritableTables, parts: RecorderParts, open: Map<string, ConflictRecord>) {
    this.#batch = batch;
    this.#tables = tables;
    this.#parts = parts;
    this.#open = open;
  }

  /**
   * Reads siblings and open records once for the batch. A record left open by a retraction matters only to what resolves it, and as soon as two
   * facts of the batch meet; so a lone fact on a triple that holds nothing live costs no look-up.
   */
  static async read(
    batch: AppendedBatch,
    contenders: readonly AppendedFact[],
    tables: WritableTables,
    parts: RecorderParts,
  ): Promise<Wave> {
    const inhabited: TripleKey[] = [];
    const histories = new Map<string, TripleHistory<Judged>>();
    for (const appended of contenders) {
      const id = tripleId(appended.fact);
      const siblings = batch.siblings(appended);
      const mayMeetRecord =
        siblings.length > 0 ||
        histories.has(id) ||
        appended.origin === 'peer' ||
        noteOf(appended.notes, Resolution) !== undefined;
      if (mayMeetRecord) inhabited.push(appended.fact);
      if (!histories.has(id)) histories.set(id, new TripleHistory<Judged>(siblings, batch.nowMs));
    }
    const open = inhabited.length === 0 ? new Map<string, ConflictRecord>() : await openRecords(tables, inhabited);
    const wave = new Wave(batch, tables, parts, open);
    for (const [id, history] of histories) wave.#histories.set(id, history);
    return wave;
  }

  async take(appended: AppendedFact): Promise<void> {
    const { fact } = appended;
    const id = tripleId(fact);
    const history = this.#histories.get(id);
    if (history === undefined) return;
    const record = this.#open.get(id);
    const resolution = noteOf(appended.notes, Resolution);
    if (record !== undefined && (resolution !== undefined || (await this.#resolvesFromAfar(appended, record)))) {
      await this.#close(record, fact, resolution?.note ?? '');
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
  }

  /** A fact may have been named more than once, or be a member already. */
  async #newMembers(candidates: readonly Membership[]): Promise<Membership[]> {
    const wanted = new Map(candidates.map((member) => [`${member.conflictId} ${member.factId}`, member]));
    const known = await this.#tables.select(MEMBERS, {
      conflict_id: [...new Set(candidates.map(({ conflictId }) => conflictId))],
      fact_id: [...new Set(candidates.map(({ factId }) => factId))],
    });
    for (const row of known) wanted.delete(`${row['conflict_id']} ${row['fact_id']}`);
    return [...wanted.values()];
  }

  /** A fact that differs from a live one opens a record, or joins the open one; the facts it differs from are members with it. */
  async #contradict(fact: AppendedFact['fact'], history: TripleHistory<Judged>): Promise<void> {
    const open = this.#open.get(tripleId(fact));
    let live = history.live;
    if (live.length >= SIBLING_LIMIT && (open === undefined || strongestRival(fact, live) === undefined)) {
      live = await this.#allLive(fact, history);
    }
    const rival = strongestRival(fact, live);
    if (rival === undefined) return;
    const record = open ?? this.#openRecord(fact);
    for (const { id } of [...live, fact]) this.#candidates.push({ conflictId: record.id, factId: id });
    this.drafts.push(
      ...(open === undefined
        ? openedFacts(record.id, fact, rival, this.#parts.names)
        : [joinedFacts(record.id, fact, rival, this.#parts.names)]),
    );
  }

  /** The history starts from the strongest facts only; where more are live, this reads them all. */
  async #allLive(fact: AppendedFact['fact'], history: TripleHistory<Judged>): Promise<readonly Judged[]> {
    const [stored = []] = await this.#batch.transaction.siblings([fact], this.#batch.nowMs, EVERY_SIBLING);
    const added = new Set(this.#batch.facts.map((appended) => appended.fact.id));
    const known = new Set(history.live.map(({ id }) => id));
    // What this batch adds to the triple is taken from the history, which knows how far the batch has come.
    return [...history.live, ...stored.filter(({ id }) => !known.has(id) && !added.has(id))];
  }

  #openRecord(fact: AppendedFact['fact']): ConflictRecord {
    const { tenantId, entityKey, relationKey, scope } = fact;
    const record: ConflictRecord = {
      id: this.#parts.random.uuid(),
      tenantId,
      entityKey,
      relationKey,
      scope,
      status: 'unresolved',
      detectedMs: this.#batch.nowMs,
      resolvedBy: null,
    };
    this.#open.set(tripleId(fact), record);
    this.#newRecords.push(record);
    return record;
  }

  async #close(record: ConflictRecord, fact: AppendedFact['fact'], note: string): Promise<void> {
    await this.write();
    await closeRecord(this.#tables, record.id, fact.id, fact.gardenId === null);
    await this.#batch.transaction.cover([coverBy(fact, 'resolution')]);
    this.#open.delete(tripleId(fact));
    this.drafts.push(...resolvedFacts(record.id, fact, note, this.#parts.names));
  }

  /** A resolution made on another node closes the local record when it names at least two of its members (reliability D6). */
  async #resolvesFromAfar({ fact, origin }: AppendedFact, record: ConflictRecord): Promise<boolean> {
    if (origin !== 'peer' || fact.derivedFrom.length < 2) return false;
    const ids = (await membersOf(this.#tables, [record.id])).get(record.id) ?? [];
    const members = await this.#batch.transaction.outline({ kind: 'in', field: 'id', values: ids });
    const named = new Set(fact.derivedFrom);
    return new Set(members.filter(({ cid }) => named.has(cid)).map(({ cid }) => cid)).size >= 2;
  }

  /** A fact asserted here is the newest of its triple; one that was replicated may be covered on arrival. */
  async #isLive({ fact, origin }: AppendedFact, history: TripleHistory<Judged>): Promise<boolean> {
    if (!history.startsLive(fact)) return false;
    if (origin !== 'peer') return true;
    const [live = []] = await this.#batch.transaction.siblings([fact], this.#batch.nowMs, PEER_SIBLINGS);
    return live.length === PEER_SIBLINGS || live.some(({ id }) => id === fact.id);
  }
}

/** Read once per contradiction of a triple that so many facts share. */
const EVERY_SIBLING = 1_000_000;

/** Enough to find a fact among its live siblings; a triple with more is contested anyhow. */
const PEER_SIBLINGS = 1000;
