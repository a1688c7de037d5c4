import { BackgroundWork, type Scope, type ServedTenants } from '../../../kernel/plugin-api.ts';
import type { Peering } from '../peerings/peering.ts';
import type { Peerings } from '../peerings/peerings.ts';
import { LONGEST_PAUSE_MS } from './back-off.ts';
import type { PullRow } from './pull-row.ts';
import { PullTurn } from './pull-turn.ts';
import type { TurnParts } from './turn-parts.ts';

export interface PullerParts extends TurnParts {
  readonly peerings: Pick<Peerings, 'read' | 'withNodes' | 'refreshKeys' | 'active'>;
  readonly served: Pick<ServedTenants, 'isServed'>;
}

/** The maximum number of peers read at once. A peer that does not reply delays only itself. */
const MAX_TURNS = 16;

/**
 * Reads facts from all active peers, each scope on its own schedule. Several processes share the work: each skips the
 * pulls that another process has claimed.
 */
export class Puller {
  readonly #parts: PullerParts;
  readonly #looks: BackgroundWork;
  /** The running turns by peer. Only one scope of a peer is read at a time, so that a peer occupies one slot. */
  readonly #turns = new Map<string, { readonly turn: PullTurn; readonly done: Promise<void> }>();
  #hasStopped = false;

  constructor(parts: PullerParts) {
    this.#parts = parts;
    const { clock, log } = parts;
    this.#looks = new BackgroundWork({
      clock,
      work: () => this.#startDue(),
      failed: (error) => log.warn('peers could not be looked after; this will be tried again', { error }),
    });
  }

  /** Starts all turns that are due. Never rejects. */
  look(): Promise<void> {
    return this.#looks.now();
  }

  /** Abandons the running turns. May be called repeatedly. */
  async stop(): Promise<void> {
    this.#hasStopped = true;
    await this.#looks.stop();
    const turns = [...this.#turns.values()];
    const lost = (error: unknown): void =>
      this.#parts.log.warn('a claim on a pull could not be given back; it ends by itself', { error });
    await Promise.all(turns.map(({ turn }) => turn.abandon().catch(lost)));
    await Promise.all(turns.map(({ done }) => done));
  }

  async #startDue(): Promise<void> {
    const { peerings, store, clock, served } = this.#parts;
    const active = new Map(
      (await peerings.active())
        .filter(({ tenantId }) => served.isServed(tenantId))
        .map((peering) => [peering.peerId, peering]),
    );
    const rows = await store.all([...active.values()]);
    const nowMs = clock.nowMs();
    for (const row of rows) {
      if (this.#hasStopped || this.#turns.size >= MAX_TURNS) return;
      const peering = active.get(row.peerId);
      if (peering === undefined || this.#turns.has(row.peerId) || !this.#isDue(row, nowMs)) continue;
      await this.#start(peering, row.scope);
    }
    this.#lookAgain(rows, nowMs);
  }

  async #start(peering: Peering, scope: Scope): Promise<void> {
    const { store, clock } = this.#parts;
    const claim = await store.claim(peering, scope, (row) => this.#isDue(row, clock.nowMs()));
    if (claim === undefined) return;
    const turn = new PullTurn(claim, this.#parts);
    const done = turn.run().then(() => {
      this.#turns.delete(peering.peerId);
      if (!this.#hasStopped) void this.#looks.now();
    });
    this.#turns.set(peering.peerId, { turn, done });
  }

  /**
   * Returns true if the pull is due. A due time beyond every possible pause was stored while the clock was ahead, so it
   * counts as due.
   */
  #isDue({ dueMs }: PullRow, nowMs: number): boolean {
    return dueMs <= nowMs || dueMs > nowMs + Math.max(this.#parts.intervalMs, LONGEST_PAUSE_MS);
  }

  /**
   * Sets a timer for the next pull. Ignores peers with a running turn, because a turn checks for due pulls when it
   * ends.
   */
  #lookAgain(rows: readonly PullRow[], nowMs: number): void {
    const later = rows
      .filter(({ peerId, dueMs }) => !this.#turns.has(peerId) && dueMs > nowMs)
      .map(({ dueMs }) => dueMs);
    if (later.length > 0) this.#looks.soon(Math.min(...later) - nowMs);
  }
}
