import { REJECTIONS_PER_MINUTE, type RefusedRequest, RejectionWindows } from '../../kernel/internal-api.ts';
import { type Clock, coalesce, DEFAULT_TENANT, type Logger } from '../../kernel/plugin-api.ts';
import { type AuditEntry, CREDENTIAL_REFUSED } from './audit-api.ts';

/**
 * The maximum number of entries about refusals per address and minute, so that one sender cannot hide the refusals of
 * all others.
 */
export const REFUSALS_PER_ADDRESS = 10;

export interface RefusedCredentialsParts {
  readonly clock: Clock;
  readonly log: Logger;
  /** Stores entries of one tenant in a transaction of their own. */
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
  #waiting: AuditEntry[] = [];
  readonly #write = coalesce(() => this.#writeAll());

  constructor(parts: RefusedCredentialsParts) {
    this.#parts = parts;
  }

  /**
   * Records a refused request. Resolves when its entry, if there is one, is stored. Never rejects, because the request
   * was answered already.
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
    this.#waiting.push({ ...admitted, detail: { ...admitted.detail, credential_sha256: refused.credentialDigest() } });
    await this.#write();
  }

  /** Stores the buffered entries. */
  end(): Promise<void> {
    return this.#write();
  }

  async #writeAll(): Promise<void> {
    const entries = this.#waiting;
    this.#waiting = [];
    if (entries.length === 0) return;
    try {
      await this.#parts.add(entries);
    } catch (error) {
      this.#parts.log.error('refused credentials could not be recorded', { entries: entries.length, error });
    }
  }
}
