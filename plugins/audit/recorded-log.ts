import { RejectionWindows } from '../../kernel/internal-api.ts';
import type { Clock, Logger, PluginTransaction, Vocabulary } from '../../kernel/plugin-api.ts';
import { type AuditEntry, AuditEvents, type AuditLog } from './audit-api.ts';
import type { AuditStore } from './audit-store.ts';
import { FACT_WRITE } from './audit-words.ts';
import { EntryBuffer } from './entry-buffer.ts';

export interface RecordedLogParts {
  readonly store: AuditStore;
  readonly clock: Clock;
  readonly log: Logger;
  readonly vocabulary: Vocabulary;
}

export class RecordedLog implements AuditLog {
  readonly #parts: RecordedLogParts;
  readonly #windows = new RejectionWindows();
  /** The buffer of entries about reads that are not stored yet. */
  readonly buffer: EntryBuffer;

  constructor(parts: RecordedLogParts) {
    this.#parts = parts;
    const { clock, log } = parts;
    this.buffer = new EntryBuffer({
      clock,
      log,
      store: (entries, tenantId) => parts.store.addApart(entries, tenantId),
    });
  }

  async record(given: AuditEntry | readonly AuditEntry[], transaction?: PluginTransaction): Promise<void> {
    const entries = [given].flat();
    for (const entry of entries) this.#refuseUnfit(entry);
    if (entries.length === 0) return;
    const { store } = this.#parts;
    const tenantId = tenantOf(entries);
    if (transaction !== undefined) await store.add(entries, tenantId, transaction);
    else await store.addApart(entries, tenantId);
  }

  async recordSoon(entry: AuditEntry): Promise<void> {
    this.#refuseUnfit(entry);
    await this.buffer.add(entry);
  }

  async recordRejection(entry: AuditEntry): Promise<void> {
    this.#refuseUnfit(entry);
    const sender = [entry.tenantId, entry.entityUri, entry.event.id];
    const admitted = this.#windows.admit(sender, entry, this.#parts.clock.monotonicMs());
    if (admitted !== null) await this.record(admitted);
  }

  #refuseUnfit({ event }: AuditEntry): void {
    if (event.id === FACT_WRITE.id) {
      throw new Error(`the audit event ${event.id} is recorded, but stored facts have that entry by themselves`);
    }
    if (this.#parts.vocabulary.find(AuditEvents, event.id) === undefined) {
      throw new Error(`the audit event ${event.id} is recorded, but no enabled plugin declares it`);
    }
  }
}

/**
 * Returns the tenant of the entries. They must belong to one tenant, because a transaction keeps the commit order of
 * one tenant only.
 */
const tenantOf = (entries: readonly AuditEntry[]): string => {
  const [first] = entries;
  if (first === undefined || entries.some(({ tenantId }) => tenantId !== first.tenantId)) {
    throw new Error('entries recorded together belong to one tenant');
  }
  return first.tenantId;
};
