import type { AppendedFact, HookCaller, ReadableTables, WriteTransaction } from '../../kernel/plugin-api.ts';
import { type ConflictRecord, mayKnow, membersOf } from './conflict-record.ts';
import { type ConflictChange, conflictOpened, conflictResolved } from './conflicts-api.ts';

type Fact = AppendedFact['fact'];

interface Change {
  readonly kind: 'opened' | 'joined' | 'resolved';
  readonly record: ConflictRecord;
  readonly fact: Fact;
}

/** What one wave of facts did to records, told to whoever listens once all of it is written. */
export class RecordChanges {
  readonly #changes: Change[] = [];
  readonly #transaction: WriteTransaction;
  readonly #tables: ReadableTables;

  constructor(transaction: WriteTransaction, tables: ReadableTables) {
    this.#transaction = transaction;
    this.#tables = tables;
  }

  /** The fact is a member now; `isNew` when the record was opened for it. */
  opened(record: ConflictRecord, fact: Fact, isNew: boolean): void {
    this.#changes.push({ kind: isNew ? 'opened' : 'joined', record, fact });
  }

  resolved(record: ConflictRecord, fact: Fact): void {
    this.#changes.push({ kind: 'resolved', record, fact });
  }

  async tell(hooks: HookCaller): Promise<void> {
    for (const [at, change] of this.#changes.entries()) {
      const hook = change.kind === 'resolved' ? conflictResolved : conflictOpened;
      if (hooks.hasHandlers(hook)) await hooks.collect(hook, this.#tellOf(change, at));
    }
  }

  #tellOf({ kind, record, fact }: Change, at: number): ConflictChange {
    return {
      conflictId: record.id,
      triple: record,
      fact,
      transaction: this.#transaction,
      members: async (gardens) => {
        if (!mayKnow(record, gardens)) return { before: [], after: [] };
        // Members that joined later in the wave are stored as well by now, and no part of this change.
        const later = new Set(this.#joinedFrom(at + 1, record));
        const stored = (await membersOf(this.#tables, [record.id])).get(record.id) ?? [];
        const after = stored.filter((id) => !later.has(id));
        if (kind === 'opened') return { before: [], after };
        return { before: kind === 'joined' ? after.filter((id) => id !== fact.id) : after, after };
      },
    };
  }

  #joinedFrom(at: number, { id }: ConflictRecord): string[] {
    const later = this.#changes.slice(at).filter(({ kind, record }) => kind !== 'resolved' && record.id === id);
    return later.map(({ fact }) => fact.id);
  }
}
