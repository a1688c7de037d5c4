import { REJECTIONS_PER_MINUTE, type RefusedRequest, RejectionWindows } from '../../kernel/internal-api.ts';
import { type Clock, coalesce, DEFAULT_TENANT, type Logger } from '../../kernel/plugin-api.ts';
import { type AuditEntry, CREDENTIAL_REFUSED } from './audit-api.ts';

/**
 * The maximum number of entries about refusals per address and minute, so that one sender cannot hide the refusals of
 * all others.
 */
export const REFUSALS_PER_ADDRESS = 10;
/** The maximum number of entries that wait while the log cannot be written: those of some sixteen minutes. */
export const MOST_WAITING = 1_000;
/** The pause after a failed write, unless another refusal comes sooner. */
export const RETRY_MS = 1_000;

export interface RefusedCredentialsParts {
  readonly clock: Clock;
  readonly log: Logger;
  /**
   * Stores entries of the default tenant in a transaction of their own. A repeated call with the same list stores
   * nothing if the former call has stored it.
   */
  add(entries: readonly AuditEntry[]): Promise<void>;
}

/**
 * Records refused credentials. Their sender is unknown, so they belong to the default tenant and to no entity. During a
 * flood each costs two look-ups in memory, and at most `REJECTIONS_PER_MINUTE` are written.
 */
export class RefusedCredentials {
  readonly #parts: RefusedCredentialsParts;
  readonly #ofAddress = new RejectionWindows(REFUSALS_PER_ADDRESS);
  readonly #ofAll = new RejectionWindows(REJECTIONS_PER_MINUTE);
  /** The entries of the present or the last failed attempt. A retry stores the same list. */
  #attempted: readonly AuditEntry[] = [];
  #waiting: AuditEntry[] = [];
  #leftOut = 0;
  #isFailing = false;
  #hasEnded = false;
  #cancel: (() => void) | undefined;
  readonly #write = coalesce(() => this.#writeAll());

  constructor(parts: RefusedCredentialsParts) {
    this.#parts = parts;
  }

  /**
   * Records a refused request. Resolves when its entry, if there is one, is stored or waits for the next attempt.
   * Never rejects, because the request was answered already.
   */
  async record(refused: RefusedRequest): Promise<void> {
    const { method, route, address, network, code, presentsCredential } = refused;
    // A request without a credential does not guess one, and must not use up the entries of the minute.
    if (!presentsCredential) return;
    const detail = { address, method, route, code };
    const entry: AuditEntry = { event: CREDENTIAL_REFUSED, tenantId: DEFAULT_TENANT, entityUri: '', detail };
    const nowMs = this.#parts.clock.monotonicMs();
    const ofAddress = this.#ofAddress.admit([network], entry, nowMs);
    const admitted = ofAddress && this.#ofAll.admit([], ofAddress, nowMs);
    if (admitted === null) return;
    if (this.#attempted.length + this.#waiting.length >= MOST_WAITING) {
      this.#leftOut += 1;
      return;
    }
    this.#waiting.push({ ...admitted, detail: { ...admitted.detail, credential_sha256: refused.credentialDigest() } });
    await this.#write();
  }

  /** Stores the entries that wait, for the last time. */
  async end(): Promise<void> {
    this.#hasEnded = true;
    await this.#write();
    const entries = this.#attempted.length + this.#waiting.length;
    if (entries === 0) return;
    const all = entries + this.#leftOut;
    this.#parts.log.error('refused credentials were not recorded before the stop', { entries: all });
  }

  async #writeAll(): Promise<void> {
    this.#cancel?.();
    this.#cancel = undefined;
    try {
      await this.#attempt();
      this.#attempted = this.#waiting;
      this.#waiting = [];
      await this.#attempt();
      this.#afterSuccess();
    } catch (error) {
      this.#afterFailure(error);
    }
  }

  async #attempt(): Promise<void> {
    if (this.#attempted.length > 0) await this.#parts.add(this.#attempted);
    this.#attempted = [];
  }

  #afterSuccess(): void {
    this.#isFailing = false;
    if (this.#leftOut === 0) return;
    this.#parts.log.error('refused credentials were left out of the audit log', { entries: this.#leftOut });
    this.#leftOut = 0;
  }

  #afterFailure(error: unknown): void {
    const entries = this.#attempted.length + this.#waiting.length;
    if (!this.#isFailing) {
      this.#parts.log.error('refused credentials could not be recorded yet; it is tried again', { entries, error });
    }
    this.#isFailing = true;
    if (!this.#hasEnded) this.#cancel = this.#parts.clock.schedule(RETRY_MS, () => void this.#write());
  }
}
