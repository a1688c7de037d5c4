import type { Clock } from '../../../kernel/plugin-api.ts';

/** The limits of one turn. After it, other peers are read. */
const MAX_PAGES = 50;
const MAX_BYTES = 64 * 1024 * 1024;
const MAX_TURN_MS = 60_000;
/** The number of pages in a row without a new fact after which a turn ends. */
const MAX_IDLE_PAGES = 20;
/** The minimum number of new facts after which the next turn follows without a pause. */
const BUSY_FACTS = 100;
/** The minimum pause after a turn with fewer new facts, if the peer reports more facts. */
const IDLE_PAUSE_MS = 10_000;
/** The minimum duration of a turn without a pause: this time for each page, and for each mebibyte. */
const PAGE_MS = 100;
const MEBIBYTE_MS = 125;

/** Limits what one turn reads, because a peer can send pages without new facts for ever. */
export class TurnBudget {
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  readonly #startedMs: number;
  #pages = 0;
  #idlePages = 0;
  #bytes = 0;
  #added = 0;

  constructor(clock: Pick<Clock, 'monotonicMs'>) {
    this.#clock = clock;
    this.#startedMs = clock.monotonicMs();
  }

  /** Counts a page as it arrives. */
  read(bytes: number): void {
    this.#pages += 1;
    this.#bytes += bytes;
  }

  /** Counts the new facts of a page after they are stored. */
  stored(added: number): void {
    this.#added += added;
    this.#idlePages = added > 0 ? 0 : this.#idlePages + 1;
  }

  get isSpent(): boolean {
    const isOver = this.#pages >= MAX_PAGES || this.#bytes >= MAX_BYTES || this.#elapsedMs() >= MAX_TURN_MS;
    return isOver || this.#idlePages >= MAX_IDLE_PAGES;
  }

  /**
   * Returns the pause before the next turn, if the peer has more facts. `adding` is the number of new facts in the last
   * page, which are not counted yet.
   */
  pauseMs(intervalMs: number, adding: number): number {
    if (this.#added + adding < BUSY_FACTS) return Math.max(intervalMs, IDLE_PAUSE_MS);
    const paceMs = Math.max(this.#pages * PAGE_MS, (this.#bytes / 2 ** 20) * MEBIBYTE_MS);
    return Math.max(0, Math.ceil(paceMs - this.#elapsedMs()));
  }

  #elapsedMs(): number {
    return this.#clock.monotonicMs() - this.#startedMs;
  }
}
