import type { TripleKey } from '../../kernel/internal-api.ts';
import type {
  FactDraft,
  HookCaller,
  PluginTransaction,
  Random,
  ServiceNames,
  StoredFact,
  WritableTables,
} from '../../kernel/plugin-api.ts';
import { joinedFacts, openedFacts, resolvedFacts } from './conflict-facts.ts';
import {
  type ConflictRecord,
  closeRecord,
  insertMembers,
  insertRecords,
  type Membership,
  storedMembers,
} from './conflict-record.ts';
import { type ConflictChange, conflictOpened, conflictResolved } from './conflicts-api.ts';
import type { HiddenRivals } from './hidden-rivals.ts';
import { differingMembers } from './record-members.ts';
import type { LongestLived } from './winner-timeline.ts';

export interface WriterParts {
  readonly names: ServiceNames;
  readonly random: Random;
  readonly hooks: HookCaller;
  readonly hiddenRivals: HiddenRivals;
}

type Member = Membership['fact'];
type Rival = Pick<LongestLived, 'id'>;

/**
 * Opens, extends and closes records for one batch: writes their rows, prepares their system facts, and calls their
 * hooks.
 */
export class RecordWriter {
  /** The system facts about the changed records. */
  readonly drafts: FactDraft[] = [];
  readonly #transaction: PluginTransaction;
  readonly #tables: WritableTables;
  readonly #nowMs: number;
  readonly #parts: WriterParts;
  readonly #records: ConflictRecord[] = [];
  readonly #members: Membership[] = [];
  /** The ids of records that this writer has opened but not written yet. */
  readonly #opened = new Set<string>();
  readonly #news: { readonly hook: typeof conflictOpened; readonly change: ConflictChange }[] = [];

  constructor(transaction: PluginTransaction, tables: WritableTables, nowMs: number, parts: WriterParts) {
    this.#transaction = transaction;
    this.#tables = tables;
    this.#nowMs = nowMs;
    this.#parts = parts;
  }

  /**
   * Opens a record. `rival` has another value than the fact. If the triple has very many facts, only the strongest
   * become members.
   */
  open(triple: TripleKey, fact: StoredFact, rival: Rival, members: readonly Member[]): ConflictRecord {
    const { tenantId, entityKey, relationKey, scope, gardenId } = triple;
    const record: ConflictRecord = {
      id: this.#parts.random.uuid(),
      tenantId,
      entityKey,
      relationKey,
      scope,
      gardenId,
      status: 'unresolved',
      detectedMs: this.#nowMs,
      resolvedBy: null,
    };
    this.#records.push(record);
    this.#opened.add(record.id);
    this.#enter(record, members);
    this.drafts.push(...openedFacts(record, fact, rival, this.#parts.names));
    this.#tell(conflictOpened, record, fact, async () => [fact.id, rival.id]);
    return record;
  }

  join(record: ConflictRecord, fact: StoredFact, rival: Rival, members: readonly Member[]): void {
    this.#enter(record, members);
    this.drafts.push(joinedFacts(record, fact, rival, this.#parts.names));
  }

  async close(record: ConflictRecord, fact: StoredFact, note: string): Promise<void> {
    await this.write();
    await closeRecord(this.#tables, record, fact.id);
    this.drafts.push(...resolvedFacts(record, fact, note, this.#parts.names));
    let witnesses: Promise<readonly string[]> | undefined;
    this.#tell(conflictResolved, record, fact, () => {
      witnesses ??= differingMembers(this.#transaction, this.#tables, record, this.#parts.hiddenRivals);
      return witnesses;
    });
  }

  async write(): Promise<void> {
    await insertRecords(this.#tables, this.#records.splice(0));
    const members = this.#members.splice(0);
    if (members.length > 0) await insertMembers(this.#tables, await this.#unknown(members));
    this.#opened.clear();
  }

  /** Calls the hooks. Must run after everything is written. */
  async tell(): Promise<void> {
    const { hooks } = this.#parts;
    for (const { hook, change } of this.#news) if (hooks.hasHandlers(hook)) await hooks.collect(hook, change);
  }

  #enter(record: ConflictRecord, members: readonly Member[]): void {
    for (const fact of members) this.#members.push({ record, fact });
  }

  #tell(
    hook: typeof conflictOpened,
    record: ConflictRecord,
    fact: StoredFact,
    witnesses: ConflictChange['witnesses'],
  ): void {
    const change = { conflictId: record.id, triple: record, fact, transaction: this.#transaction, witnesses };
    this.#news.push({ hook, change });
  }

  /** Leaves out facts that occur twice, or are already members of a stored record. */
  async #unknown(members: readonly Membership[]): Promise<Membership[]> {
    const wanted = new Map(members.map((member) => [keyOf(member.record.id, member.fact.id), member]));
    const joined = [...wanted.values()].filter(({ record }) => !this.#opened.has(record.id));
    for (const { conflictId, factId } of await storedMembers(this.#tables, joined))
      wanted.delete(keyOf(conflictId, factId));
    return [...wanted.values()];
  }
}

const keyOf = (conflictId: string, factId: string): string => `${conflictId} ${factId}`;
