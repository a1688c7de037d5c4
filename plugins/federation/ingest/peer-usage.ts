import type { PluginSnapshot, PluginTables, PluginTransaction, SqlValue } from '../../../kernel/plugin-api.ts';
import type { Peering } from '../peerings/peering.ts';
import { USAGE } from './ingest-tables.ts';

/** The number of facts received today from a peer, and its quarantine. */
export interface PeerUsage {
  /** The number of new facts since the day began (UTC). */
  readonly addedToday: number;
  /** The instant at which the peer's quarantine ends; null outside one. */
  readonly quarantinedUntilMs: number | null;
}

/** The numbers of facts in one page, by outcome. */
export interface PageCounts {
  readonly added: number;
  readonly known: number;
  /** The number of facts that an honest node never sends. */
  readonly invalid: number;
}

interface Row {
  readonly day: number;
  readonly added: number;
  readonly windowMs: number;
  readonly brought: number;
  readonly invalid: number;
  readonly strikes: number;
  readonly quarantinedUntilMs: number;
}

export const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
/** The number of invalid facts within `WINDOW_MS` that causes a quarantine, if they are more than half of all facts. */
const MAX_INVALID = 100;
const WINDOW_MS = HOUR_MS;
/** The durations of a peer's first, second and later quarantines. */
const QUARANTINES_MS = [HOUR_MS, 4 * HOUR_MS, 16 * HOUR_MS, 24 * HOUR_MS] as const;
const LONGEST_MS = Math.max(...QUARANTINES_MS);
/** The time without invalid facts after which a peer's next quarantine has the first duration again. */
const FORGIVEN_MS = 7 * DAY_MS;

const NOTHING: Row = {
  day: 0,
  added: 0,
  windowMs: 0,
  brought: 0,
  invalid: 0,
  strikes: 0,
  quarantinedUntilMs: 0,
};

type PeerName = Pick<Peering, 'tenantId' | 'peerId'>;

export const dayOf = (nowMs: number): number => Math.floor(nowMs / DAY_MS);

/** Counts the facts and invalid facts of each peer per day, and stores its quarantine. */
export class PeerUsages {
  readonly #tables: PluginTables;

  constructor(tables: PluginTables) {
    this.#tables = tables;
  }

  async read(peer: PeerName, nowMs: number, snapshot?: PluginSnapshot): Promise<PeerUsage> {
    const row =
      snapshot === undefined
        ? await this.#tables.read((_own, opened) => this.#rowOf(peer, opened))
        : await this.#rowOf(peer, snapshot);
    const { day, added, quarantinedUntilMs } = row ?? NOTHING;
    return {
      addedToday: day === dayOf(nowMs) ? added : 0,
      quarantinedUntilMs: isAhead(quarantinedUntilMs, nowMs) ? quarantinedUntilMs : null,
    };
  }

  /** Counts a page. Returns the end of a quarantine that begins now; null if none begins. */
  async count(
    peer: PeerName,
    counts: PageCounts,
    nowMs: number,
    transaction: PluginTransaction,
  ): Promise<number | null> {
    const known = await this.#rowOf(peer, transaction);
    const next = countedIn(known ?? NOTHING, counts, nowMs);
    const own = this.#tables.in(transaction);
    if (known === undefined) await own.insertRows(USAGE, [{ ...nameOf(peer), ...columnsOf(next) }]);
    else await own(USAGE).where(nameOf(peer)).update(columnsOf(next));
    return next.quarantinedUntilMs === (known ?? NOTHING).quarantinedUntilMs ? null : next.quarantinedUntilMs;
  }

  async #rowOf(peer: PeerName, snapshot: PluginSnapshot): Promise<Row | undefined> {
    const [row] = await this.#tables.in(snapshot).select(USAGE, nameOf(peer));
    return row === undefined ? undefined : rowOf(row);
  }
}

/**
 * Returns true while a quarantine lasts. An end beyond the longest possible quarantine was stored while the clock was
 * ahead, so it is ignored.
 */
const isAhead = (untilMs: number, nowMs: number): boolean => untilMs > nowMs && untilMs - nowMs <= LONGEST_MS;

const countedIn = (row: Row, { added, known, invalid }: PageCounts, nowMs: number): Row => {
  const isSameDay = row.day === dayOf(nowMs);
  const isSameWindow = nowMs - row.windowMs < WINDOW_MS && nowMs >= row.windowMs;
  const isForgiven = nowMs - row.quarantinedUntilMs > FORGIVEN_MS;
  const counted: Row = {
    day: dayOf(nowMs),
    added: (isSameDay ? row.added : 0) + added,
    windowMs: isSameWindow ? row.windowMs : nowMs,
    brought: (isSameWindow ? row.brought : 0) + added + known + invalid,
    invalid: (isSameWindow ? row.invalid : 0) + invalid,
    strikes: isForgiven ? 0 : row.strikes,
    quarantinedUntilMs: row.quarantinedUntilMs,
  };
  if (counted.invalid < MAX_INVALID || counted.invalid * 2 <= counted.brought) return counted;
  const lastsMs = QUARANTINES_MS[Math.min(counted.strikes, QUARANTINES_MS.length - 1)] as number;
  return { ...counted, brought: 0, invalid: 0, strikes: counted.strikes + 1, quarantinedUntilMs: nowMs + lastsMs };
};

const nameOf = ({ tenantId, peerId }: PeerName) => ({ tenant_id: tenantId, peer_id: peerId });

const columnsOf = (row: Row) => ({
  day: row.day,
  added: row.added,
  window_ms: row.windowMs,
  brought: row.brought,
  invalid: row.invalid,
  strikes: row.strikes,
  quarantined_until_ms: row.quarantinedUntilMs,
});

const rowOf = (row: Record<string, SqlValue>): Row => ({
  day: Number(row['day']),
  added: Number(row['added']),
  windowMs: Number(row['window_ms']),
  brought: Number(row['brought']),
  invalid: Number(row['invalid']),
  strikes: Number(row['strikes']),
  quarantinedUntilMs: Number(row['quarantined_until_ms']),
});
