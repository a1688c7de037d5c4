import { type Clock, coalesce, type Logger, ServiceError } from '../../kernel/plugin-api.ts';
import type { AuditEntry } from './audit-api.ts';

/** Longest time that an entry waits for others to be stored with. */
export const GROUP_MS = 200;
/** Most entries of a tenant that wait: the next one waits itself until they are stored. */
export const MOST_WAITING = 1_000;
/** Until what could not be stored is tried again, if nobody asks for it sooner. */
const RETRY_MS = 1_000;

export interface SoonRecordedParts {
  readonly clock: Clock;
  readonly log: Logger;
  /** Stores entries of one tenant in a transaction of their own. */
  store(entries: readonly AuditEntry[], tenantId: string): Promise<void>;
}

/** Entries that are stored in groups, soon after what they tell of. See `AuditLog.recordSoon`. */
export class SoonRecorded {
  readonly #parts: SoonRecordedParts;
  /** Those of tenants with entries that wait. */
  readonly #groups = new Map<string, Group>();

  constructor(parts: SoonRecordedParts) {
    this.#parts = parts;
  }

  /** Rejects where entries cannot be stored now: then this one is not taken, and what it tells of must not happen. */
  async add(entry: AuditEntry): Promise<void> {
    const { tenantId } = entry;
    const group = this.#groups.get(tenantId);
    if (group?.isClosed === true) await group.settle();
    this.#groupOf(tenantId).take(entry);
  }

  /** Resolves when every entry that the tenant has been given so far is stored; rejects when they cannot be. */
  async settle(tenantId: string): Promise<void> {
    await this.#groups.get(tenantId)?.settle();
  }

  /** The same for all tenants. */
  async settleAll(): Promise<void> {
    await Promise.all([...this.#groups.values()].map((group) => group.settle()));
  }

  #groupOf(tenantId: string): Group {
    let group = this.#groups.get(tenantId);
    if (group === undefined) {
      group = new Group(tenantId, this.#parts, () => this.#groups.delete(tenantId));
      this.#groups.set(tenantId, group);
    }
    return group;
  }
}

/** The entries of one tenant that wait. */
class Group {
  readonly #tenantId: string;
  readonly #parts: SoonRecordedParts;
  readonly #onEmpty: () => void;
  readonly settle = coalesce(() => this.#storeAll());
  #waiting: AuditEntry[] = [];
  #isFailing = false;
  #cancel: (() => void) | undefined;

  constructor(tenantId: string, parts: SoonRecordedParts, onEmpty: () => void) {
    this.#tenantId = tenantId;
    this.#parts = parts;
    this.#onEmpty = onEmpty;
  }

  /** Whether those that wait must be stored before another one is taken. */
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
      // Told of where it began to fail.
      this.settle().catch(() => {});
    });
  }

  async #storeAll(): Promise<void> {
    this.#cancel?.();
    this.#cancel = undefined;
    const entries = this.#waiting;
    this.#waiting = [];
    try {
      if (entries.length > 0) await this.#parts.store(entries, this.#tenantId);
      this.#isFailing = false;
      if (this.#waiting.length === 0) this.#onEmpty();
    } catch (error) {
      this.#afterFailure(entries, error);
    }
  }

  #afterFailure(entries: readonly AuditEntry[], error: unknown): void {
    const { log } = this.#parts;
    if (error instanceof ServiceError && error.code === 'authorization') {
      // The tenant was removed meanwhile, and its log with it.
      log.warn('audit entries of a removed tenant were left out', {
        tenantId: this.#tenantId,
        entries: entries.length,
      });
      if (this.#waiting.length === 0) this.#onEmpty();
      return;
    }
    if (!this.#isFailing) log.error('audit entries could not be stored, so that reads are refused', { error });
    this.#isFailing = true;
    this.#waiting = [...entries, ...this.#waiting];
    this.#storeIn(RETRY_MS);
    throw error;
  }
}
