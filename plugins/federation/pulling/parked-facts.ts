import { sealText } from '../../../kernel/internal-api.ts';
import {
  openJson,
  type PluginSnapshot,
  type PluginTables,
  type PluginTransaction,
  ServiceError,
  type SqlValue,
  sha256Hex,
  type WritableTables,
} from '../../../kernel/plugin-api.ts';
import type { IngestVerdict } from '../ingest/ingest.ts';
import { PARKED, SEALED_PARKED } from '../ingest/ingest-tables.ts';
import { type PullName, whereOf } from './pull-row.ts';

/** A received fact that cannot be stored yet. */
export interface ParkedFact {
  readonly digest: string;
  readonly attempts: number;
  /** The fact as the peer sent it. */
  readonly fact: unknown;
}

export type ParkedVerdict = Extract<IngestVerdict, { readonly kind: 'parked' }>;

/** The maximum number of parked facts of a peer. At this limit, the pull stops until some of them are stored. */
export const MAX_PARKED = 10_000;
export const MAX_PARKED_BYTES = 64 * 1024 * 1024;
/**
 * The maximum number of parked facts with unknown keys. Anybody can forge them through an honest relay, so they must
 * not fill the whole limit.
 */
export const MAX_UNKNOWN_KEYS = MAX_PARKED / 2;
const MAX_UNKNOWN_KEYS_BYTES = MAX_PARKED_BYTES / 2;
const RETRIED_AT_ONCE = 500;
const RETRIED_BYTES = 4 * 1024 * 1024;
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** Stores facts that a pull cannot store as facts yet, so that its cursor can move past them without losing them. */
export class ParkedFacts {
  readonly #tables: PluginTables;
  readonly #maxStampLeadMs: number;

  constructor(tables: PluginTables, maxStampLeadMs: number) {
    this.#tables = tables;
    this.#maxStampLeadMs = maxStampLeadMs;
  }

  /** Returns the facts to retry now, oldest first, as many as fit one transaction. */
  due(pull: PullName, nowMs: number): Promise<ParkedFact[]> {
    return this.#tables.read(async (own) => {
      const sizes: { digest: string; bytes: number }[] = await own(PARKED)
        .select('digest', 'bytes')
        .where(whereOf(pull))
        // A due time beyond every possible pause was stored while the clock was ahead.
        .where((row) => row.where('due_ms', '<=', nowMs).orWhere('due_ms', '>', nowMs + HOUR_MS))
        .orderBy('due_ms')
        .limit(RETRIED_AT_ONCE);
      let bytes = 0;
      const taken = sizes.filter((row, at) => {
        bytes += Number(row.bytes);
        return at === 0 || bytes <= RETRIED_BYTES;
      });
      if (taken.length === 0) return [];
      const rows = await own.select(PARKED, { ...whereOf(pull), digest: taken.map(({ digest }) => digest) });
      return own.parse(rows, (row) => ({
        digest: String(row['digest']),
        attempts: Number(row['attempts']),
        fact: openJson<unknown>(SEALED_PARKED, row, 'fact'),
      }));
    });
  }

  /**
   * Parks facts. Rejects if the peer has reached its limit; then the page must not be accepted. Returns the number of
   * facts with unknown keys that were dropped, because they exceed their share.
   */
  async park(
    pull: PullName,
    facts: readonly { readonly verdict: ParkedVerdict; readonly fact: unknown }[],
    nowMs: number,
    transaction: PluginTransaction,
  ): Promise<number> {
    const own = this.#tables.in(transaction);
    const texts = facts.map(({ verdict, fact }) => ({ verdict, text: JSON.stringify(fact) }));
    const sent = texts.map((one) => ({ ...one, digest: sha256Hex(one.text) }));
    const digests = sent.map(({ digest }) => digest);
    const stored = await own.select(PARKED, { ...whereOf(pull), digest: digests });
    const known = new Set(stored.map((row) => String(row['digest'])));
    const rows = new Map<string, Record<string, SqlValue>>();
    for (const { verdict, text, digest } of sent) {
      if (known.has(digest)) continue;
      rows.set(digest, {
        ...whereOf(pull),
        digest,
        reason: verdict.reason,
        due_ms: this.#dueMs(verdict, 0, nowMs),
        attempts: 0,
        parked_ms: nowMs,
        bytes: Buffer.byteLength(text),
        fact: sealText(text),
      });
    }
    const leftOut = await this.#withoutExcess(pull, rows, own);
    if (rows.size === 0) return leftOut;
    await own.insertRows(PARKED, [...rows.values()]);
    const total = await waitingNow(pull, own);
    if (total.facts > MAX_PARKED || total.bytes > MAX_PARKED_BYTES) {
      throw new ServiceError('limit_reached', 'too many facts of the peer wait already');
    }
    return leftOut;
  }

  /** Drops the facts with unknown keys that exceed their share. */
  async #withoutExcess(
    pull: PullName,
    rows: Map<string, Record<string, SqlValue>>,
    own: WritableTables,
  ): Promise<number> {
    const unknown = [...rows].filter(([, row]) => row['reason'] === UNKNOWN_KEY);
    if (unknown.length === 0) return 0;
    let { facts, bytes } = await waitingNow(pull, own, UNKNOWN_KEY);
    let leftOut = 0;
    for (const [digest, row] of unknown) {
      facts += 1;
      bytes += Number(row['bytes']);
      if (facts <= MAX_UNKNOWN_KEYS && bytes <= MAX_UNKNOWN_KEYS_BYTES) continue;
      rows.delete(digest);
      leftOut += 1;
    }
    return leftOut;
  }

  /**
   * Records the outcome of a retry: deletes facts that were stored or refused, and schedules the next retry of the
   * others.
   */
  async settle(
    pull: PullName,
    tried: readonly ParkedFact[],
    verdicts: readonly IngestVerdict[],
    nowMs: number,
    transaction: PluginTransaction,
  ): Promise<void> {
    const own = this.#tables.in(transaction);
    const done: string[] = [];
    // Facts that arrived together mostly have the same due time, so they share one statement.
    const waiting = new Map<string, { readonly row: Record<string, SqlValue>; readonly digests: string[] }>();
    for (const [at, { digest, attempts: before }] of tried.entries()) {
      const verdict = verdicts[at];
      if (verdict?.kind !== 'parked') {
        done.push(digest);
        continue;
      }
      const attempts = before + 1;
      const row = { reason: verdict.reason, attempts, due_ms: this.#dueMs(verdict, attempts, nowMs) };
      const key = JSON.stringify(row);
      const group = waiting.get(key) ?? { row, digests: [] as string[] };
      group.digests.push(digest);
      waiting.set(key, group);
    }
    for (const { row, digests } of waiting.values()) {
      await own(PARKED).where(whereOf(pull)).whereIn('digest', digests).update(row);
    }
    if (done.length > 0) await own(PARKED).where(whereOf(pull)).whereIn('digest', done).delete();
  }

  /** Returns the number of parked facts of a peer, by scope. */
  async counts(
    peer: Pick<PullName, 'tenantId' | 'peerId'>,
    snapshot: PluginSnapshot,
  ): Promise<ReadonlyMap<string, number>> {
    const rows: { scope: string; facts: number | string }[] = await this.#tables
      .in(snapshot)(PARKED)
      .where({ tenant_id: peer.tenantId, peer_id: peer.peerId })
      .select('scope')
      .count({ facts: '*' })
      .groupBy('scope');
    return new Map(rows.map(({ scope, facts }) => [scope, Number(facts)]));
  }

  #dueMs({ reason, stampMs }: ParkedVerdict, attempts: number, nowMs: number): number {
    const pauseMs = Math.min(HOUR_MS, MINUTE_MS * 2 ** Math.min(attempts, 10));
    if (reason !== 'hlc_skew') return nowMs + pauseMs;
    // Retries after at most an hour, because the limit may be reconfigured and clocks may be corrected.
    return Math.min(nowMs + HOUR_MS, Math.max(nowMs + 1_000, stampMs - this.#maxStampLeadMs));
  }
}

const UNKNOWN_KEY: ParkedVerdict['reason'] = 'unknown_key';

const waitingNow = async (
  { tenantId, peerId }: PullName,
  own: WritableTables,
  reason?: ParkedVerdict['reason'],
): Promise<{ readonly facts: number; readonly bytes: number }> => {
  const [total]: { facts: number | string; bytes: number | string | null }[] = await own(PARKED)
    .where({ tenant_id: tenantId, peer_id: peerId, ...(reason !== undefined && { reason }) })
    .count({ facts: '*' })
    .sum({ bytes: 'bytes' });
  return { facts: Number(total?.facts ?? 0), bytes: Number(total?.bytes ?? 0) };
};
