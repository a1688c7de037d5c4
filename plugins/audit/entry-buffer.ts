import { ErasedTenant } from '../../kernel/internal-api.ts';
import { type Clock, coalesce, type Logger } from '../../kernel/plugin-api.ts';
import type { AuditEntry } from './audit-api.ts';

/** The time in milliseconds after which the node begins to store buffered entries. */
export const GROUP_MS = 200;
/** The number of buffered entries of a tenant at which a further entry waits until these are stored. */
export const MOST_WAITING = 1_000;
/** The pause after a failed attempt, unless a caller needs the entries sooner. */
const RETRY_MS = 1_000;

export interface EntryBufferParts {
  readonly clock: Clock;
  readonly log: Logger;
  /**
   * Stores entries of one tenant in a transaction of their own. A repeated call with the same list stores nothing if
   * the former call has stored it, and only lost the confirmation.
   */
  store(entries: readonly AuditEntry[], tenantId: string): Promise<void>;
}

/** Buffers entries and stores them in groups. See `AuditLog.recordSoon`. */
export class EntryBuffer {
  readonly #parts: EntryBufferParts;
  /** The buffers of tenants with unstored entries. */
  readonly #groups = new Map<string, Group>();

  constructor(parts: EntryBufferParts) {
    this.#parts = parts;
  }

  /** Adds an entry to the buffer. Rejects while entries cannot be stored; then the audited action must not happen. */
  async add(entry: AuditEntry): Promise<void> {
    const { tenantId } = entry;
    const group = this.#groups.get(tenantId);
    if (group?.isClosed === true) await group.settle();
    this.#groupOf(tenantId).take(entry);
  }

  /** Resolves when all entries added so far for the tenant are stored; rejects if they cannot be. */
  async settle(tenantId: string): Promise<void> {
    await this.#groups.get(tenantId)?.settle();
  }

  /** Resolves when all entries added so far for all tenants are stored; rejects if they cannot be. */
  async settleAll(): Promise<void> {
    await Promise.all([...this.#groups.values()].map((group) => group.settle()));
  }

  #groupOf(tenantId: string): Group {
    const known = this.#groups.get(tenantId);
    if (known !== undefined) return known;
    const made: Group = new Group(tenantId, this.#parts, () => {
      if (this.#groups.get(tenantId) === made) this.#groups.delete(tenantId);
    });
    this.#groups.set(tenantId, made);
    return made;
  }
}

/** The unstored entries of one tenant. */
class Group {
  readonly #tenantId: string;
  readonly #parts: EntryBufferParts;
  readonly #onEmpty: () => void;
  readonly settle = coalesce(() => this.#storeAll());
  /** The entries of the present or the last failed attempt. A retry stores the same list. */
  #attempted: readonly AuditEntry[] = [];
  #waiting: AuditEntry[] = [];
  #isFailing = false;
  #cancel: (() => void) | undefined;

  constructor(tenantId: string, parts: EntryBufferParts, onEmpty: () => void) {
    this.#tenantId = tenantId;
    this.#parts = parts;
    this.#onEmpty = onEmpty;
  }

  /** True if the buffered entries must be stored before another one is added. */
  get isClosed(): boolean {
    return this.#isFailing || this.#waiting.length >= MOST_WAITING;
  }

  take(entry: AuditEntry): void {
    this.#waiting.push(entry);
    this.#storeIn(GROUP_MS);
  }

  #storeIn(delayMs: number): void {
    this.#cancel ??= this.#parts.clock.schedule(delayMs, () => {
      this.#cancel = undefined;
      // Ignores a repeated failure, because the first one was logged.
      this.settle().catch(() => {});
    });
  }

  async #storeAll(): Promise<void> {
    try {
      await this.#attempt();
      this.#stopTimer();
      this.#attempted = this.#waiting;
      this.#waiting = [];
      await this.#attempt();
      this.#isFailing = false;
      if (this.#waiting.length === 0) this.#onEmpty();
    } catch (error) {
      this.#afterFailure(error);
    }
  }

  async #attempt(): Promise<void> {
    if (this.#attempted.length > 0) await this.#parts.store(this.#attempted, this.#tenantId);
    this.#attempted = [];
  }

  #stopTimer(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }

  #afterFailure(error: unknown): void {
    const { log } = this.#parts;
    if (error instanceof ErasedTenant) {
      // The tenant was removed in the meantime, and its log with it.
      this.#stopTimer();
      log.warn('audit entries of a removed tenant were left out', {
        tenantId: this.#tenantId,
        entries: this.#attempted.length + this.#waiting.length,
      });
      this.#attempted = [];
      this.#waiting = [];
      this.#onEmpty();
      return;
    }
    if (!this.#isFailing) log.error('audit entries could not be stored; recalls are refused until they are', { error });
    this.#isFailing = true;
    this.#stopTimer();
    this.#storeIn(RETRY_MS);
    throw error;
  }
}
